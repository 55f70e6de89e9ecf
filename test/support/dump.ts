import type { Database } from '../../db/index.ts'
import { readTables } from './read-tables.ts'

/** Every row of every table, in an order that both engines agree on; without the columns named. */
export async function dump(db: Database, without: string[] = []): Promise<string[]> {
  const rows: string[] = []
  for (const [name, found] of Object.entries(await readTables(db.read))) {
    for (const row of found) {
      const values = Object.entries(row).flatMap(([column, value]) =>
        without.includes(column) ? [] : [value],
      )
      rows.push(JSON.stringify([name, ...values]))
    }
  }
  return rows.toSorted()
}
