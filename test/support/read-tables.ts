import type { Reader, Tables } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'

type Everything = { [Name in keyof Tables]: Tables[Name]['$inferSelect'][] }
type ReadTable = (reader: Reader) => Promise<Record<string, unknown>[]>

const reads = new Map<keyof Tables, ReadTable>()

/** All rows of all tables. Each connection prepares the statements once: tests compare databases thousands of times. */
export async function readTables(reader: Reader): Promise<Everything> {
  const rows: Record<string, unknown> = {}
  // Guarantee of the casts: each table's rows are under its own name, and all of them.
  for (const name of Object.keys(reader.tables) as (keyof Tables)[]) {
    const read = reads.get(name) ?? prepared((from: Reader) => from.select().from(from.tables[name]))
    reads.set(name, read)
    rows[name] = await read(reader)
  }
  return rows as Everything
}
