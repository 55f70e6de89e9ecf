/** Writing many rows at once, by each engine's fastest way: for what fills a database, not for what serves a request. */
import type { Database as Connection } from 'bun:sqlite'
import { Column, is, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type AnyTable, runStatement, type Shape, shapeOf } from './schema/shape.ts'
import type { Transaction } from './types.ts'

type Rows = Record<string, unknown>[]

/** What happens to a row that is there already: the unit of work fails, the row stays, or one column grows by the new row's. */
export type OnConflict = 'refuse' | 'skip' | { add: string }

/** Writes rows in order, and answers how many it inserted or changed. What a row leaves out is null. */
export async function insertRows<T extends AnyTable>(
  tx: Transaction,
  table: T,
  rows: T['$inferInsert'][],
  onConflict: OnConflict = 'refuse',
): Promise<number> {
  if (rows.length === 0) return 0
  const shape = shapeOf(table)
  // Guarantee: a row has no members but the table's columns.
  const records = rows as Rows
  return is(table, SQLiteTable)
    ? insertIntoSqlite(tx, shape, records, onConflict)
    : insertIntoPostgres(tx, shape, records, onConflict)
}

const quoted = (name: string) => `"${toSnakeCase(name)}"`
const listOf = ({ columns }: Shape) => columns.map(({ name }) => quoted(name)).join(', ')

function conflictClause(onConflict: OnConflict, { name, key }: Shape): string {
  if (onConflict === 'refuse') return ''
  if (onConflict === 'skip') return ' ON CONFLICT DO NOTHING'
  const column = quoted(onConflict.add)
  return ` ON CONFLICT (${key.map(quoted).join(', ')}) DO UPDATE SET ${column} = "${name}".${column} + excluded.${column}`
}

/** One prepared statement, run row by row inside the process: nothing is built or parsed twice. */
function insertIntoSqlite(tx: Transaction, shape: Shape, rows: Rows, onConflict: OnConflict): number {
  const { name, columns } = shape
  // Guarantee: on SQLite a unit of work is Drizzle's object over the writer's connection.
  const { $client } = tx as unknown as { $client: Connection }
  const marks = columns.map(() => '?').join(', ')
  const statement = $client.query(
    `INSERT INTO "${name}" (${listOf(shape)}) VALUES (${marks})${conflictClause(onConflict, shape)}`,
  )
  const readers = columns.map(({ property, column }) => {
    const asIs = column.mapToDriverValue === Column.prototype.mapToDriverValue
    return (row: Rows[number]) => {
      const value = row[property] ?? null
      return asIs || value === null ? value : column.mapToDriverValue(value)
    }
  })
  let written = 0
  for (const row of rows) {
    const values = readers.map(read => read(row))
    written += statement.run(...(values as (string | number | null)[])).changes
  }
  return written
}

/** One statement with one parameter, the rows as JSON: no limit of parameters, and the server's own work to take it apart. */
async function insertIntoPostgres(
  tx: Transaction,
  shape: Shape,
  rows: Rows,
  onConflict: OnConflict,
): Promise<number> {
  const { name, columns } = shape
  const names = listOf(shape)
  const types = columns.map(
    column => `${quoted(column.name)} ${column.column.getSQLType().replace(/ COLLATE .*/, '')}`,
  )
  const given = rows.map(row =>
    Object.fromEntries(columns.map(({ property, name: member }) => [member, row[property] ?? null])),
  )
  const [answer] = await runStatement(
    tx,
    sql`WITH written AS (
      INSERT INTO ${sql.raw(`"${name}" (${names}) SELECT ${names}`)}
      FROM json_to_recordset(${JSON.stringify(given)}::text::json) AS given(${sql.raw(types.join(', '))})
      ${sql.raw(conflictClause(onConflict, shape))} RETURNING 1
    ) SELECT count(*) AS written FROM written`,
  )
  return Number(answer?.written)
}
