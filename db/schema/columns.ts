/**
 * The column kit: the column types of both dialects under the same names. This file has the only casts between dialects.
 */
import type { ColumnBaseConfig, ColumnDataType } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'

/**
 * PostgreSQL compares text by the database's collation, SQLite by bytes. Ids break ties and define cursors, so both compare
 * them by bytes.
 */
const idText = pg.customType<{ data: string; driverData: string }>({ dataType: () => 'text COLLATE "C"' })

/** A table that others reference. */
interface HasId {
  id: pg.AnyPgColumn
}

/** Tables of other files that a file of tables references. */
export type Referenced<Name extends string> = Record<Name, HasId>

export const postgres = {
  table: pg.pgTable,
  /** Text that is ordered and compared by bytes: ids, slugs, handles, cursors. */
  id: () => idText(),
  /** The id of an existing row of another table. */
  idOf: (table: HasId) =>
    idText()
      .notNull()
      .references(() => table.id),
  text: () => pg.text(),
  /** An integer up to 2^53 - 1 (bigint on PostgreSQL). */
  integer: () => pg.bigint({ mode: 'number' }),
  boolean: () => pg.boolean(),
  /** An instant with millisecond precision. */
  timestamp: () => pg.timestamp({ precision: 3, withTimezone: true, mode: 'date' }),
  check: pg.check,
  index: pg.index,
  uniqueIndex: pg.uniqueIndex,
  unique: pg.unique,
  primaryKey: pg.primaryKey,
  foreignKey: pg.foreignKey,
}

export type ColumnKit = typeof postgres

const kits = new Map<string, ColumnKit>()

/** A column of texts that is never null, of any table. */
export type TextColumn = pg.PgColumn<
  ColumnBaseConfig<ColumnDataType, string> & { data: string; notNull: true }
>

/** The kit of tables in a schema of PostgreSQL, which every statement names: a pooler may give each transaction another connection. */
export const postgresIn = (schema: string | null): ColumnKit =>
  schema === null
    ? postgres
    : kits.getOrInsertComputed(schema, () => ({
        ...postgres,
        // Guarantee of the cast: the same function, with the name of the schema in what it returns. `pgSchema` refuses `public`.
        table: new pg.PgSchema(schema).table as unknown as typeof pg.pgTable,
      }))

/**
 * Typed as PostgreSQL's kit, whose queries have no `.get`, `.all` or `.run`: a synchronous call does not compile.
 * Guarantee: each builder has the same name, arguments and data type in both dialects, which `test/db` checks.
 */
export const sqlite = {
  table: lite.sqliteTable,
  id: () => lite.text(),
  idOf: (table: { id: lite.AnySQLiteColumn }) =>
    lite
      .text()
      .notNull()
      .references(() => table.id),
  text: () => lite.text(),
  integer: () => lite.integer(),
  boolean: () => lite.integer({ mode: 'boolean' }),
  timestamp: () => lite.integer({ mode: 'timestamp_ms' }),
  check: lite.check,
  index: lite.index,
  uniqueIndex: lite.uniqueIndex,
  unique: lite.unique,
  primaryKey: lite.primaryKey,
  foreignKey: lite.foreignKey,
  // Guarantee of the cast: the builders of both dialects have the same names, and a table is built of one of them.
} as unknown as ColumnKit
