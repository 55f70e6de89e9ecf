import { is, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'

/**
 * A condition that many rows meet. SQLite, which has no statistics here, would otherwise search an index of the compared column rather than
 * read a smaller index: https://sqlite.org/lang_corefunc.html#likely
 */
export const likely = (table: PgTable, condition: SQL): SQL =>
  is(table, SQLiteTable) ? sql`likely(${condition})` : condition
