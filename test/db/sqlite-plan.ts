/** How SQLite runs the prepared statements of a read. */
import { Database as Connection } from 'bun:sqlite'
import { spyOn } from 'bun:test'
import { getTableName } from 'drizzle-orm'
import type { Database } from '../../db/index.ts'

interface Statement {
  getQuery(): { sql: string }
}

type Read = [db: Pick<Database, 'read' | 'tables'>, url: string | null, read: () => Promise<unknown>]

/** The steps of its statements, as SQLite describes them. */
export async function planSteps(...[db, url, read]: Read): Promise<string[]> {
  const { statements } = db.read
  const [found, made] = [spyOn(statements, 'get'), spyOn(statements, 'set')]
  await read()
  const used = [...found.mock.results.map(({ value }) => value), ...made.mock.calls.map(([, made]) => made)]
  found.mockRestore()
  made.mockRestore()
  const connection = new Connection((url ?? '').slice('sqlite:'.length), { readonly: true })
  try {
    const steps = used
      // Guarantee of the cast: only statements are set.
      .flatMap(statement => (statement ? [(statement as Statement).getQuery().sql] : []))
      .flatMap(text => connection.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`).all())
    if (steps.length === 0) throw new Error('the read has no prepared statement')
    return steps.map(({ detail }) => detail)
  } finally {
    connection.close()
  }
}

/** The tables that its statements read as a whole, by an index or not. Empty if each is looked up. */
export async function tablesScanned(...of: Read): Promise<string[]> {
  const names = new Set<string>(Object.values(of[0].tables).map(table => getTableName(table)))
  const scanned = (await planSteps(...of)).flatMap(step => /^SCAN (\w+)/.exec(step)?.[1] ?? [])
  return [...new Set(scanned)].filter(name => names.has(name))
}
