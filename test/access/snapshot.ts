import type { Database } from '../../db/index.ts'

/** Everything in the database, to tell that a request left no trace. */
export async function snapshot({ read, tables }: Pick<Database, 'read' | 'tables'>): Promise<string[]> {
  const rows: string[] = []
  for (const [name, table] of Object.entries(tables)) {
    for (const row of await read.select().from(table)) rows.push(`${name} ${JSON.stringify(row)}`)
  }
  return rows.toSorted()
}
