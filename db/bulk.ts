/** Bulk inserts in the fastest way of each engine: for imports and copies, not for requests. */
import type { Database as Connection } from 'bun:sqlite'
import { Column, is, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type AnyTable, runStatement, type Shape, shapeOf } from './schema/shape.ts'
import type { Transaction } from './types.ts'

type Rows = Record<string, unknown>[]

/** For a row that exists: fail the unit of work, keep the existing row, or add the new value of one column to it. */
export type OnConflict = 'fail' | 'skip' | { add: string }

/** Inserts rows in order, and returns how many it inserted or changed. A missing member is null. */
export async function insertRows<T extends AnyTable>(
  tx: Transaction,
  table: T,
  rows: T['$inferInsert'][],
  onConflict: OnConflict = 'fail',
): Promise<number> {
  if (rows.length === 0) return 0
  const shape = shapeOf(table)
  // Guarantee: the type limits the members of a row to the table's columns.
  const records = rows as Rows
  return is(table, SQLiteTable)
    ? insertIntoSqlite(tx, shape, records, onConflict)
    : insertIntoPostgres(tx, shape, records, onConflict)
}

const quoted = (name: string) => `"${toSnakeCase(name)}"`
const listOf = ({ columns }: Shape) => columns.map(({ name }) => quoted(name)).join(', ')

function conflictClause(onConflict: OnConflict, { name, key }: Shape): string {
  if (onConflict === 'fail') return ''
  if (onConflict === 'skip') return ' ON CONFLICT DO NOTHING'
  const column = quoted(onConflict.add)
  return ` ON CONFLICT (${key.map(quoted).join(', ')}) DO UPDATE SET ${column} = "${name}".${column} + excluded.${column}`
}

/** One prepared statement, run once for each row: SQLite runs in this process, so there is no round trip to save. */
function insertIntoSqlite(tx: Transaction, shape: Shape, rows: Rows, onConflict: OnConflict): number {
  const { name, columns } = shape
  // Guarantee: on SQLite a unit of work is Drizzle's object over the writer's connection.
  const { $client } = tx as unknown as { $client: Connection }
  const marks = columns.map(() => '?').join(', ')
  const statement = $client.query(
    `INSERT INTO "${name}" (${listOf(shape)}) VALUES (${marks})${conflictClause(onConflict, shape)}`,
  )
  const readers = columns.map(({ property, column }) => {
    const isUnmapped = column.mapToDriverValue === Column.prototype.mapToDriverValue
    return (row: Rows[number]) => {
      const value = row[property] ?? null
      return isUnmapped || value === null ? value : column.mapToDriverValue(value)
    }
  })
  let written = 0
  for (const row of rows) {
    const values = readers.map(read => read(row))
    written += statement.run(...(values as (string | number | null)[])).changes
  }
  return written
}

/** One statement whose one parameter is the rows as JSON: it has no limit on parameters, and the server parses it. */
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
  const records = rows.map(row =>
    Object.fromEntries(columns.map(({ property, name: member }) => [member, row[property] ?? null])),
  )
  const [result] = await runStatement(
    tx,
    sql`WITH written AS (
      INSERT INTO ${sql.raw(`"${name}" (${names}) SELECT ${names}`)}
      FROM json_to_recordset(${JSON.stringify(records)}::text::json) AS given(${sql.raw(types.join(', '))})
      ${sql.raw(conflictClause(onConflict, shape))} RETURNING 1
    ) SELECT count(*) AS written FROM written`,
  )
  return Number(result?.written)
}
