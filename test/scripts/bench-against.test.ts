/** How `bun run bench --against REVISION` compares two checkouts. */
import { expect, test } from 'bun:test'
import { compareWith, labelAt, reportAgainst } from '../../scripts/bench/against.ts'
import { readOptions } from '../../scripts/bench/options.ts'
import { row } from '../../scripts/bench/scenario.ts'

const pair = (label: string, own: number[], other: number[], cpu?: [number, number]) => [
  row(label, 'requests/s', own, cpu && { perCpuSecond: cpu[0] }),
  row(labelAt(label, 'abc1234'), 'requests/s', other, cpu && { perCpuSecond: cpu[1] }),
]

test('the ratio is the median of the ratios of each round, in which both had the same load', () => {
  // The medians alone would be 500 and 1,000.
  const rows = pair('sqlite, matchday', [1_000, 500, 100], [1_000, 500, 1_000], [90, 100])
  expect(compareWith({ claims: { rows, notes: [] } }, 'abc1234', 0.95)).toEqual([
    { title: 'claims: sqlite, matchday', ratio: 1, byCpu: 0.9, holds: true },
  ])
})

test.each([
  { ratio: 0.95, holds: true },
  { ratio: 0.94, holds: false },
])('a ratio of $ratio against a minimum of 0.95: $holds', ({ ratio, holds }) => {
  const rows = pair('sqlite, matchday', [ratio * 100], [100])
  const compared = compareWith({ claims: { rows, notes: [] } }, 'abc1234', 0.95)
  expect(compared).toMatchObject([{ byCpu: null, holds }])
  expect(reportAgainst(compared, 'abc1234', 0.95)).toContain(holds ? 'holds' : 'SLOWER')
})

test('rows without a counterpart and invalid results are not compared', () => {
  const alone = [row('sqlite, group commit', 'requests/s', [100])]
  const rows = pair('sqlite, matchday', [100], [100])
  const results = { alone: { rows: alone, notes: [] }, broken: { rows, notes: [], invalid: 'not 2xx' } }
  expect(compareWith(results, 'abc1234', 0.95)).toEqual([])
})

test('--against takes a revision, and --min a ratio', () => {
  expect(readOptions([])).toMatchObject({ against: null, min: 0.95 })
  expect(readOptions(['--against', 'v1.0.0', '--min', '0.9', 'crowd-claims'])).toMatchObject({
    scenarios: ['crowd-claims'],
    against: 'v1.0.0',
    min: 0.9,
  })
  expect(() => readOptions(['--min', '95'])).toThrow('--min must be a number such as 0.95.')
})
