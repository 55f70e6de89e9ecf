/** Bulk writes in the fastest way of each engine: for imports, copies and batches, not for requests. */
import type { Database as Connection } from 'bun:sqlite'
import { Column, is, type SQL, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type AnyTable, runStatement, type Shape, shapeOf } from './schema/shape.ts'
import type { Transaction } from './types.ts'

type Rows = Record<string, unknown>[]

/**
 * What to do with an existing row: fail the unit of work (`fail`), keep the row (`skip`), keep and lock it until the unit of
 * work ends (`lock`), add the new value of one column to it (zero only locks it, and on SQLite does nothing), or take the new values
 * of some columns.
 */
export type OnConflict = 'fail' | 'skip' | 'lock' | { add: string } | { set: string[] }

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
  // Guarantee of the cast: a row is an object.
  const records = rows as Rows
  return is(table, SQLiteTable)
    ? insertIntoSqlite(tx, shape, records, onConflict)
    : insertIntoPostgres(tx, shape, records, onConflict)
}

/**
 * Inserts the rows with new keys and new unique values, and returns the inserted rows. Another unit of work may insert the
 * rest at the same time.
 */
export async function insertNewRows<T extends AnyTable, Row extends T['$inferInsert']>(
  tx: Transaction,
  table: T,
  rows: Row[],
): Promise<Row[]> {
  if (rows.length === 0) return []
  const shape = shapeOf(table)
  // Guarantee of the cast: a row is an object.
  const records = rows as Rows
  if (is(table, SQLiteTable)) {
    const insert = sqliteInsert(tx, shape, 'skip')
    return rows.filter((_, index) => insert(records[index] ?? {}) > 0)
  }
  const key = shape.columns.filter(({ property }) => shape.key.includes(property))
  const inserted = await runStatement(
    tx,
    sql`${postgresInsert(shape, records, 'skip')} RETURNING ${sql.raw(key.map(({ name }) => quoted(name)).join(', '))}`,
  )
  const names = new Set(inserted.map(row => JSON.stringify(key.map(({ name }) => String(row[name])))))
  const isInserted = (row: Rows[number] = {}) =>
    names.has(JSON.stringify(key.map(({ property }) => String(row[property]))))
  return rows.filter((_, index) => isInserted(records[index]))
}

const quoted = (name: string) => `"${toSnakeCase(name)}"`
const listOf = ({ columns }: Shape) => columns.map(({ name }) => quoted(name)).join(', ')

function conflictClause(onConflict: OnConflict, { name, key }: Shape): string {
  if (onConflict === 'fail') return ''
  if (onConflict === 'skip') return ' ON CONFLICT DO NOTHING'
  const target = key.map(quoted).join(', ')
  // PostgreSQL locks a row that it does not update either.
  if (onConflict === 'lock') return ` ON CONFLICT (${target}) DO UPDATE SET ${noChange(key)} WHERE false`
  const sets =
    'set' in onConflict
      ? onConflict.set.map(column => `${quoted(column)} = excluded.${quoted(column)}`)
      : [
          `${quoted(onConflict.add)} = "${name}".${quoted(onConflict.add)} + excluded.${quoted(onConflict.add)}`,
        ]
  const only = 'add' in onConflict ? ` WHERE excluded.${quoted(onConflict.add)} <> 0` : ''
  return ` ON CONFLICT (${target}) DO UPDATE SET ${sets.join(', ')}${only}`
}

const noChange = ([column = '']: string[]) => `${quoted(column)} = excluded.${quoted(column)}`

/** One prepared statement, run once for each row: SQLite runs in this process, so there is no round trip to save. */
function sqliteInsert(tx: Transaction, shape: Shape, onConflict: OnConflict): (row: Rows[number]) => number {
  // Guarantee: on SQLite a unit of work is Drizzle's object over the writer's connection.
  // Guarantee of the cast: Drizzle keeps the connection here.
  const { $client } = tx as unknown as { $client: Connection }
  const statement = $client.query(sqliteTextOf(shape, onConflict))
  const valuesOf = encoderOf(shape.columns)
  return row => statement.run(...valuesOf(row)).changes
}

/** Building a text takes as long as inserting ten rows. */
function sqliteTextOf(shape: Shape, onConflict: OnConflict): string {
  const own = sqliteTexts.getOrInsertComputed(shape, () => new Map())
  return own.getOrInsertComputed(JSON.stringify(onConflict), () => {
    const marks = shape.columns.map(() => '?').join(', ')
    return `INSERT INTO "${shape.name}" (${listOf(shape)}) VALUES (${marks})${conflictClause(onConflict, shape)}`
  })
}

const sqliteTexts = new WeakMap<Shape, Map<string, string>>()

function insertIntoSqlite(tx: Transaction, shape: Shape, rows: Rows, onConflict: OnConflict): number {
  const insert = sqliteInsert(tx, shape, onConflict)
  const added = typeof onConflict === 'object' && 'add' in onConflict ? onConflict.add : undefined
  let written = 0
  for (const row of rows) {
    // Adding nothing only locks a row: here the unit of work has the lock of the file.
    if (added === undefined || row[added] !== 0) written += insert(row)
  }
  return written
}

type ColumnShape = Shape['columns'][number]

const encoders = new WeakMap<ColumnShape, (row: Rows[number]) => unknown>()

/** Encodes the values of a row for SQLite, in the order of the columns. */
function encoderOf(columns: ColumnShape[]) {
  const encode = columns.map(column => encoders.getOrInsertComputed(column, columnEncoder))
  // Guarantee of the cast: columns of SQLite are text, integers and floating-point numbers.
  return (row: Rows[number]) => encode.map(value => value(row)) as (string | number | null)[]
}

function columnEncoder({ property, column }: ColumnShape) {
  const isUnmapped = column.mapToDriverValue === Column.prototype.mapToDriverValue
  return (row: Rows[number]) => {
    const value = row[property] ?? null
    return isUnmapped || value === null ? value : column.mapToDriverValue(value)
  }
}

/** One statement whose one parameter is the rows as JSON: it has no limit on parameters, and the server parses it. */
function postgresInsert(shape: Shape, rows: Rows, onConflict: OnConflict): SQL {
  const names = listOf(shape)
  const given = givenRows(shape.columns, rows)
  return sql`INSERT INTO ${sql.raw(`${shape.sql} (${names}) SELECT ${names}`)} FROM ${given} ${sql.raw(conflictClause(onConflict, shape))}`
}

async function insertIntoPostgres(
  tx: Transaction,
  shape: Shape,
  rows: Rows,
  onConflict: OnConflict,
): Promise<number> {
  const [result] = await runStatement(
    tx,
    sql`WITH written AS (${postgresInsert(shape, rows, onConflict)} RETURNING 1) SELECT count(*) AS written FROM written`,
  )
  return Number(result?.written)
}

/** Rows as the table `given` of PostgreSQL. */
function givenRows(columns: Shape['columns'], rows: Rows) {
  const types = columns.map(
    ({ name, column }) => `${quoted(name)} ${column.getSQLType().replace(/ COLLATE .*/, '')}`,
  )
  const records = rows.map(row =>
    Object.fromEntries(columns.map(({ property, name }) => [name, row[property] ?? null])),
  )
  return sql`json_to_recordset(${JSON.stringify(records)}::text::json) AS given(${sql.raw(types.join(', '))})`
}

/**
 * Sets some columns of the rows with these primary keys, as far as they exist. `keepsNull`: the value null leaves a column
 * as it is.
 */
export async function updateRows<T extends AnyTable, const Name extends string & keyof T['$inferSelect']>(
  tx: Transaction,
  table: T,
  rows: Partial<T['$inferInsert']>[],
  names: readonly Name[],
  { keepsNull = false } = {},
): Promise<void> {
  if (rows.length === 0) return
  const shape = shapeOf(table)
  // Guarantee of the cast: a row is an object.
  const given = rows as Rows
  const columns = [...names, ...shape.key].flatMap(name =>
    shape.columns.filter(({ property }) => property === name),
  )
  if (is(table, SQLiteTable)) {
    // Guarantee of the cast: Drizzle keeps the connection here.
    const { $client } = tx as unknown as { $client: Connection }
    const sets = names
      .map(name => `${quoted(name)} = ${keepsNull ? `coalesce(?, ${quoted(name)})` : '?'}`)
      .join(', ')
    const isRow = shape.key.map(name => `${quoted(name)} = ?`).join(' AND ')
    const update = $client.query(`UPDATE "${shape.name}" SET ${sets} WHERE ${isRow}`)
    const valuesOf = encoderOf(columns)
    for (const row of given) update.run(...valuesOf(row))
    return
  }
  await runStatement(tx, postgresUpdate(shape, columns, given, { names, keepsNull }))
}

/**
 * Reads and locks each row by its key, and then updates it with ON CONFLICT. PostgreSQL would plan a join with the given
 * rows by the size of the table and keep the plan: a plan for a small table reads the whole table after it has grown. The
 * rows are found in a CTE, since Citus makes an invalid statement of an INSERT whose SELECT joins a table and a function.
 */
function postgresUpdate(
  shape: Shape,
  columns: Shape['columns'],
  rows: Rows,
  { names, keepsNull }: { names: readonly string[]; keepsNull: boolean },
): SQL {
  const values = shape.columns.map(({ property, name }) => {
    const [found, given] = [`found.${quoted(name)}`, `given.${quoted(name)}`]
    const value = keepsNull ? `coalesce(${given}, ${found})` : given
    return `${names.includes(property) ? value : found} AS ${quoted(name)}`
  })
  const list = listOf(shape)
  const conflict = conflictClause({ set: [...names] }, shape)
  // PostgreSQL merges no subselect that has an OFFSET.
  return sql`WITH updated AS (SELECT ${sql.raw(values.join(', '))} FROM ${givenRows(columns, rows)} CROSS JOIN LATERAL
    (SELECT * FROM ${sql.raw(shape.sql)} WHERE ${isGiven(shape)} OFFSET 0 FOR NO KEY UPDATE) AS found)
    ${sql.raw(`INSERT INTO ${shape.sql} (${list}) SELECT ${list} FROM updated${conflict}`)}`
}

/** Deletes the rows with these primary keys, as far as they exist. */
export async function deleteRows<T extends AnyTable>(
  tx: Transaction,
  table: T,
  rows: T['$inferSelect'][],
): Promise<void> {
  if (rows.length === 0) return
  const shape = shapeOf(table)
  if (is(table, SQLiteTable)) {
    // Guarantee of the cast: Drizzle keeps the connection here.
    const { $client } = tx as unknown as { $client: Connection }
    const isRow = shape.key.map(key => `${quoted(key)} = ?`).join(' AND ')
    const remove = $client.query(`DELETE FROM "${shape.name}" WHERE ${isRow}`)
    // Guarantee of the cast: keys of such tables are text and integers.
    for (const row of rows as Rows) remove.run(...shape.key.map(name => row[name] as string | number))
    return
  }
  const columns = shape.columns.filter(({ property }) => shape.key.includes(property))
  const name = sql.raw(shape.sql)
  await runStatement(
    tx,
    sql`DELETE FROM ${name} USING ${givenRows(columns, rows as Rows)} WHERE ${isGiven(shape)}`,
  )
}

/** The condition for a row with the key of a given one. */
const isGiven = ({ name, key }: Shape) =>
  sql.raw(key.map(column => `"${name}".${quoted(column)} = given.${quoted(column)}`).join(' AND '))

/**
 * Subtracts from one column of the rows with these primary keys, and deletes rows that are then zero or were before. A row that
 * does not exist or has less stays as it is.
 */
export async function subtractRows<T extends AnyTable>(
  tx: Transaction,
  table: T,
  rows: T['$inferInsert'][],
  property: string,
): Promise<void> {
  if (rows.length === 0) return
  const shape = shapeOf(table)
  const columns = shape.columns.filter(
    column => column.property === property || shape.key.includes(column.property),
  )
  const [name, column] = [sql.raw(shape.sql), sql.raw(quoted(property))]
  if (is(table, SQLiteTable)) {
    // Guarantee of the cast: Drizzle keeps the connection here.
    const { $client } = tx as unknown as { $client: Connection }
    const isRow = shape.key.map(key => `${quoted(key)} = ?`).join(' AND ')
    const own = quoted(property)
    const remove = $client.query(`DELETE FROM "${shape.name}" WHERE ${isRow} AND (${own} = ? OR ${own} = 0)`)
    const subtract = $client.query(
      `UPDATE "${shape.name}" SET ${own} = ${own} - ? WHERE ${isRow} AND ${own} > ?`,
    )
    // Guarantee of the cast: a row is an object.
    for (const row of rows as Rows) {
      // Guarantee of the casts: keys of such tables and the column are text and integers.
      const key = shape.key.map(name => row[name] as string | number)
      const by = row[property] as number
      if (remove.run(...key, by).changes === 0) subtract.run(by, ...key, by)
    }
    return
  }
  const isRow = isGiven(shape)
  const given = givenRows(columns, rows as Rows)
  await runStatement(
    tx,
    sql`DELETE FROM ${name} USING ${given}
      WHERE ${isRow} AND (${name}.${column} = given.${column} OR ${name}.${column} = 0)`,
  )
  await runStatement(
    tx,
    sql`UPDATE ${name} SET ${column} = ${name}.${column} - given.${column} FROM ${given}
      WHERE ${isRow} AND ${name}.${column} > given.${column}`,
  )
}
