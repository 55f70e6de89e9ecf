/** Writing many rows at once, by each engine's fastest way: for what fills a database, not for what serves a request. */
import type { Database as Connection } from 'bun:sqlite'
import { getTableColumns, is, type SQL, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { getTableConfig as getSqliteTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Tables, Transaction } from './index.ts'

type Table = Tables[keyof Tables]
export type RowOf<T extends Table> = T['$inferInsert']

/** What happens to a row that is there already: the unit of work fails, the row stays, or one column grows by the new row's. */
export type OnConflict = 'refuse' | 'skip' | { add: string }

/** Writes rows in order, and answers how many it inserted or changed. What a row leaves out is null. */
export async function insertRows<T extends Table>(
  tx: Transaction,
  table: T,
  rows: RowOf<T>[],
  onConflict: OnConflict = 'refuse',
): Promise<number> {
  if (rows.length === 0) return 0
  // Guarantee: a row has no members but the table's columns.
  const records = rows as Record<string, unknown>[]
  if (is(table, SQLiteTable)) return insertIntoSqlite(tx, table, records, onConflict)
  if (is(table, PgTable)) return insertIntoPostgres(tx, table, records, onConflict)
  throw new Error('a table of neither engine')
}

const quoted = (name: string) => `"${toSnakeCase(name)}"`

function conflictClause(onConflict: OnConflict, table: string, key: () => string[]): string {
  if (onConflict === 'refuse') return ''
  if (onConflict === 'skip') return ' ON CONFLICT DO NOTHING'
  const column = quoted(onConflict.add)
  return ` ON CONFLICT (${key().map(quoted).join(', ')}) DO UPDATE SET ${column} = "${table}".${column} + excluded.${column}`
}

/** One prepared statement, run row by row inside the process: nothing is built or parsed twice. */
function insertIntoSqlite(
  tx: Transaction,
  table: SQLiteTable,
  rows: Record<string, unknown>[],
  onConflict: OnConflict,
): number {
  const { name, primaryKeys } = getSqliteTableConfig(table)
  const columns = Object.entries(getTableColumns(table))
  const key = () => primaryKeys[0]?.columns.map(column => column.name) ?? []
  const names = columns.map(([property]) => quoted(property)).join(', ')
  const marks = columns.map(() => '?').join(', ')
  // Guarantee: on SQLite a unit of work is Drizzle's object over the writer's connection.
  const { $client } = tx as unknown as { $client: Connection }
  const statement = $client.query(
    `INSERT INTO "${name}" (${names}) VALUES (${marks})${conflictClause(onConflict, name, key)}`,
  )
  let written = 0
  for (const row of rows) {
    const values = columns.map(([property, column]) => {
      const value = row[property]
      return value === null || value === undefined ? null : column.mapToDriverValue(value)
    })
    written += statement.run(...(values as (string | number | null)[])).changes
  }
  return written
}

/** One statement with one parameter, the rows as JSON: no limit of parameters, and the server's own work to take it apart. */
async function insertIntoPostgres(
  tx: Transaction,
  table: PgTable,
  rows: Record<string, unknown>[],
  onConflict: OnConflict,
): Promise<number> {
  const { name, primaryKeys } = getTableConfig(table)
  const columns = Object.entries(getTableColumns(table))
  const key = () => primaryKeys[0]?.columns.map(column => column.name) ?? []
  const names = columns.map(([property]) => quoted(property)).join(', ')
  const types = columns
    .map(([property, column]) => `${quoted(property)} ${column.getSQLType().replace(/ COLLATE .*/, '')}`)
    .join(', ')
  const named = rows.map(row =>
    Object.fromEntries(columns.map(([property]) => [toSnakeCase(property), row[property] ?? null])),
  )
  // Guarantee: on PostgreSQL a unit of work is Drizzle's transaction, which executes plain SQL.
  const { execute } = tx as unknown as { execute(query: SQL): Promise<Record<string, unknown>[]> }
  const answer: unknown = await execute.call(
    tx,
    sql`WITH written AS (
      INSERT INTO ${sql.raw(`"${name}" (${names}) SELECT ${names}`)}
      FROM json_to_recordset(${JSON.stringify(named)}::text::json) AS given(${sql.raw(types)})
      ${sql.raw(conflictClause(onConflict, name, key))} RETURNING 1
    ) SELECT count(*) AS written FROM written`,
  )
  // Bun's client answers the rows, PGlite an object with them.
  const found = Array.isArray(answer) ? answer : (answer as { rows: unknown[] }).rows
  return Number((found[0] as { written: unknown }).written)
}
