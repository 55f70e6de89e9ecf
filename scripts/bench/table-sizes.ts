/** The bytes of each table and index of a database. */
import { Database as Connection } from 'bun:sqlite'
import { SQL } from 'bun'

export interface Part {
  table: string
  /** Null for the rows. */
  index: string | null
  bytes: number
}

const POSTGRES = `
  SELECT c.relname AS "table", null AS "index", pg_table_size(c.oid)::float8 AS bytes
  FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT t.relname, i.relname, pg_relation_size(i.oid)::float8
  FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
  WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace`

const SQLITE = `
  SELECT m.tbl_name AS "table", nullif(s.name, m.tbl_name) AS "index", sum(s.pgsize) AS bytes
  FROM dbstat s JOIN sqlite_schema m ON m.name = s.name WHERE s.aggregate = 1 GROUP BY 1, 2`

export async function readParts(url: string): Promise<Part[]> {
  if (!url.startsWith('sqlite:')) return onPostgres(url, client => client.unsafe(POSTGRES))
  using connection = new Connection(url.slice('sqlite:'.length))
  return connection.query<Part, []>(SQLITE).all()
}

/** As autovacuum does, which a server of the bench may have turned off. */
export async function vacuum(url: string): Promise<void> {
  if (!url.startsWith('sqlite:')) await onPostgres(url, client => client.unsafe('VACUUM'))
}

async function onPostgres<Result>(url: string, work: (client: SQL) => Promise<Result>): Promise<Result> {
  const client = new SQL(url, { max: 1 })
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}
