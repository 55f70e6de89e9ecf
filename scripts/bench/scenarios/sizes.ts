/**
 * Bytes of the database for each event that earns points, by table and index, after the background tasks of the season; per row of other
 * tables; and for what fans and staff do, by table.
 */
import { addRows } from '../row-sizes.ts'
import { type Row, row, type Scenario, type ScenarioResult } from '../scenario.ts'
import { prepareSeason, recordSeason } from '../season.ts'
import { type Part, readParts, vacuum } from '../table-sizes.ts'
import { callVerbs } from '../verb-sizes.ts'

/** Events of each fan. */
const DAYS = 20
/** Smaller parts are only in the sum. */
const SHOWN = 5

export const sizes: Scenario = {
  name: 'sizes',
  summary: `Bytes per event that earns points and counts for two quests: ${DAYS} of each fan, over 200 days; per row of other tables; and for purchases, withdrawals and sanctions`,
  long: true,
  async run({ options, databases, log }) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    for (const engine of options.engines) {
      const { url, remove } = await databases.copy(engine, options.fans)
      try {
        await prepareSeason(url)
        await vacuum(url)
        const before = await readParts(url)
        let events = 0
        for await (const recorded of recordSeason(url, DAYS)) {
          events += recorded
          await vacuum(url)
          log(`${engine}: ${events} events`)
        }
        const after = await readParts(url)
        all.rows.push(...rowsOf(engine, { before, after, events }))
        const added = await addRows(url)
        await vacuum(url)
        all.rows.push(...eachRowOf(engine, after, await readParts(url), added))
      } finally {
        await remove()
      }
      const called = await databases.copy(engine, options.fans)
      try {
        await vacuum(called.url)
        let parts = await readParts(called.url)
        for await (const { verb, calls } of callVerbs(called.url)) {
          await vacuum(called.url)
          const next = await readParts(called.url)
          all.rows.push(...eachTableOf(`${engine}, ${verb}`, parts, next, calls))
          parts = next
        }
      } finally {
        await called.remove()
      }
    }
    return all
  },
}

interface Growth {
  before: Part[]
  after: Part[]
  events: number
}

function rowsOf(engine: string, { before, after, events }: Growth): Row[] {
  const sizeBefore = new Map(before.map(part => [nameOf(part), part.bytes]))
  const grown = after
    .map(part => ({ name: nameOf(part), each: (part.bytes - (sizeBefore.get(nameOf(part)) ?? 0)) / events }))
    .toSorted((a, b) => b.each - a.each)
  const sum = grown.reduce((bytes, { each }) => bytes + each, 0)
  return [{ name: 'all', each: sum }, ...grown.filter(({ each }) => each >= SHOWN)].map(({ name, each }) =>
    row(`${engine}, ${name}`, 'bytes', [each]),
  )
}

/** Of a table with its indexes. */
const sizeOf = (parts: Part[], table: string) =>
  parts.reduce((bytes, part) => (part.table === table ? bytes + part.bytes : bytes), 0)

/** Of the tables to which rows were added. */
const eachRowOf = (engine: string, before: Part[], after: Part[], added: Map<string, number>): Row[] =>
  Array.from(added)
    .filter(([, rows]) => rows > 100)
    .map(([table, rows]) =>
      row(`${engine}, a row of ${table}`, 'bytes', [(sizeOf(after, table) - sizeOf(before, table)) / rows]),
    )

/** Of each table that a verb lets grow. */
function eachTableOf(name: string, before: Part[], after: Part[], calls: number): Row[] {
  const tables = [...new Set(after.map(({ table }) => table))]
  return tables
    .map(table => ({ table, each: (sizeOf(after, table) - sizeOf(before, table)) / calls }))
    .filter(({ each }) => each >= SHOWN)
    .map(({ table, each }) => row(`${name}: ${table}`, 'bytes', [each]))
}

const nameOf = ({ table, index }: Part) => (index === null ? table : `${table}: ${index}`)
