/** Bytes of the database for each event that earns points, by table and index, after the background tasks of the season; and per row of other tables. */
import { addRows } from '../row-sizes.ts'
import { type Row, row, type Scenario, type ScenarioResult } from '../scenario.ts'
import { prepareSeason, recordSeason } from '../season.ts'
import { type Part, readParts, vacuum } from '../table-sizes.ts'

/** Events of each fan. */
const DAYS = 20
/** Smaller parts are only in the sum. */
const SHOWN = 5

export const sizes: Scenario = {
  name: 'sizes',
  summary: `Bytes per event that earns points and counts for two quests: ${DAYS} of each fan, over 200 days; and per row of other tables`,
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

/** Of the tables to which rows were added. */
function eachRowOf(engine: string, before: Part[], after: Part[], added: Map<string, number>): Row[] {
  const sum = (parts: Part[], table: string) =>
    parts.reduce((bytes, part) => (part.table === table ? bytes + part.bytes : bytes), 0)
  return Array.from(added)
    .filter(([, rows]) => rows > 100)
    .map(([table, rows]) =>
      row(`${engine}, a row of ${table}`, 'bytes', [(sum(after, table) - sum(before, table)) / rows]),
    )
}

const nameOf = ({ table, index }: Part) => (index === null ? table : `${table}: ${index}`)
