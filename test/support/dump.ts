import { getTableColumns } from 'drizzle-orm'
import type { Database } from '../../db/index.ts'

/** Every row of every table, in an order that both engines agree on; without the columns named. */
export async function dump(db: Database, without: string[] = []): Promise<string[]> {
  const rows: string[] = []
  for (const [name, table] of Object.entries(db.tables)) {
    const columns = Object.keys(getTableColumns(table)).filter(column => !without.includes(column))
    const found: Record<string, unknown>[] = await db.read.select().from(table)
    for (const row of found) rows.push(JSON.stringify([name, ...columns.map(column => row[column])]))
  }
  return rows.toSorted()
}
