import { sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../db/index.ts'
import { prepared, preparedRow } from '../../db/prepared.ts'

type Everything = { [Name in keyof Tables]: Tables[Name]['$inferSelect'][] }
type ReadTable = (reader: Reader) => Promise<Record<string, unknown>[]>

const reads = new Map<keyof Tables, ReadTable>()

/** By table, whether it has rows: most have none. */
const findRows = preparedRow((from: Reader) => {
  const found = Object.entries(from.tables).map(
    ([name, table]) => [name, sql<unknown>`exists (select 1 from ${table})`] as const,
  )
  return from.select(Object.fromEntries(found)).from(sql`(select 1) as one`)
})

/** All rows of all tables, by few statements that are built once: tests compare databases thousands of times. */
export async function readTables(reader: Reader): Promise<Everything> {
  const rows: Record<string, unknown> = {}
  const found = await findRows(reader)
  // Guarantee of the casts: each table's rows are under its own name, and all of them.
  for (const name of Object.keys(reader.tables) as (keyof Tables)[]) {
    const read = reads.get(name) ?? prepared((from: Reader) => from.select().from(from.tables[name]))
    reads.set(name, read)
    rows[name] = found?.[name] ? await read(reader) : []
  }
  return rows as Everything
}
