/** Pages of several lists: each row once, in the order of the whole, also while rows are added. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  batchOf,
  mergePage,
  type Placed,
  type Positions,
  type Source,
} from '../../../src/operate/admin/fans/timeline/merge.ts'

import { mergedByDefinition } from './merged.ts'

/** A list whose rows are in descending order of numbers. Rows of `hidden` are read and left out. */
function listOf(name: string, rows: Placed<string>[], hidden = new Set<string>()): Source<string> {
  return {
    name,
    read: async (from, limit) => {
      const rest = rows.filter(({ key }) => from === null || Number(key) <= Number(from))
      const some = rest.slice(0, 3)
      const shown = some.filter(({ item }) => !hidden.has(item))
      const batch = batchOf(shown, limit, row => row)
      return { ...batch, next: batch.next ?? rest[3]?.key ?? null }
    },
  }
}

const row = (list: string, key: number, ms: number): Placed<string> => ({
  key: String(key),
  at: new Date(ms),
  item: `${list} ${key}`,
})

async function readAll(sources: Source<string>[], limit: number, between = () => {}) {
  const items: string[] = []
  let positions: Positions | null = null
  for (let page = 0; page < 1_000; page++) {
    const read: { items: string[]; positions: Positions | null } = await mergePage(sources, positions, limit)
    expect(read.items.length).toBeLessThanOrEqual(limit)
    items.push(...read.items)
    if (read.positions === null) return items
    positions = read.positions
    between()
  }
  throw new Error('the pages do not end')
}

/** Keys descend by the row; times mostly do, but the clock of one process may be behind that of another. */
const list = fc.array(fc.record({ earlier: fc.integer({ min: -30, max: 100 }), isHidden: fc.boolean() }), {
  maxLength: 30,
})

test('every row is on one page, once, in the order of the whole, while rows are added', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(list, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.nat(4)),
      async (drawn, limit, additions) => {
        const hidden = new Set<string>()
        const lists = drawn.map((rows, nth) => {
          let ms = 1_000_000
          return rows.map(({ earlier, isHidden }, index) => {
            ms -= earlier
            const placed = row(`list-${nth}`, rows.length - index, ms)
            if (isHidden) hidden.add(placed.item)
            return placed
          })
        })
        const shown = lists.map(rows => rows.filter(({ item }) => !hidden.has(item)))
        const expected = mergedByDefinition(shown).map(({ item }) => item)
        const sources = lists.map((rows, nth) => listOf(`list-${nth}`, rows, hidden))
        const found = await readAll(sources, limit, () => {
          const nth = additions.pop() ?? 0
          const newest = Number(lists[nth]?.[0]?.key ?? 0)
          lists[nth]?.unshift(row(`list-${nth}`, newest + 1, 2_000_000))
        })
        expect(found).toEqual(expected)
      },
    ),
    { numRuns: 300 },
  )
})

test('a list that leaves out much ends a page early, and the next one continues', async () => {
  const rows = Array.from({ length: 400 }, (_, index) => row('only', 400 - index, 1_000 - index))
  const hidden = new Set(rows.map(({ item }) => item).filter(item => item !== 'only 1'))
  const source = listOf('only', rows, hidden)
  const first = await mergePage([source], null, 10)
  expect([first.items, first.positions]).toEqual([[], { only: expect.any(String) }])
  expect(await readAll([source], 10)).toEqual(['only 1'])
})
