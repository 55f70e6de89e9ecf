import { is, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'

/**
 * An expression for FROM: the table, which SQLite reads by this index. Without statistics it would prefer an index of an equal column, however
 * many rows it finds: https://sqlite.org/lang_indexedby.html. PostgreSQL chooses by its statistics.
 */
export const byIndex = (table: PgTable, index: string): SQL =>
  is(table, SQLiteTable) ? sql`${table} indexed by ${sql.identifier(index)}` : sql`${table}`
