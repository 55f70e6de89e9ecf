/** The first rows of a table for each row of something else: an index look-up for each, on both engines. */
import { is, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'

interface First {
  /** May name columns of the rows of `outer`. */
  condition: SQL
  order: SQL
  limit: number
}

/** For FROM: the rows of `outer`, a name in WITH, each with the first rows of the table that meet a condition. */
export const firstOfEach = (outer: SQL, table: PgTable, { condition, order, limit }: First): SQL =>
  is(table, SQLiteTable)
    ? // SQLite has no LATERAL. The condition reads the columns of the innermost table of the name.
      sql`${outer} cross join ${table} on ${table}.rowid in
        (select ${table}.rowid from ${table} where ${condition} order by ${order} limit ${limit})`
    : sql`${outer} cross join lateral
        (select * from ${table} where ${condition} order by ${order} limit ${limit}) as ${table}`
