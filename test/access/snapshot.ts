import type { Database } from '../../db/index.ts'

/** The whole content of the database, to check that a request changed nothing. */
export async function snapshot({ read, tables }: Pick<Database, 'read' | 'tables'>): Promise<string[]> {
  const rows: string[] = []
  for (const [name, table] of Object.entries(tables)) {
    for (const row of await read.select().from(table)) rows.push(`${name} ${JSON.stringify(row)}`)
  }
  return rows.toSorted()
}
