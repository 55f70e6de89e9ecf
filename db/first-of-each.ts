/** The first rows of a table for each row of another query: one index look-up for each, on both engines. */
import { aliasedTable, getTableName, is, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'

interface First {
  /** May name columns of the rows of `outer`. */
  condition: SQL
  order: SQL
  limit: number
}

/** The table under its own name, which holds for a subselect of that name as well. For columns outside of the lookups. */
export const byName = <T extends PgTable>(table: T): T =>
  // Guarantee of the cast: the alias has the columns of the table.
  is(table, SQLiteTable) ? table : (aliasedTable(table, getTableName(table)) as unknown as T)

/**
 * An expression for FROM: the rows of `outer`, a name in WITH, each with the first rows of the table that meet a condition.
 */
export const firstOfEach = (outer: SQL, table: PgTable, { condition, order, limit }: First): SQL =>
  is(table, SQLiteTable)
    ? // SQLite has no LATERAL. The condition reads the columns of the innermost table of the name.
      sql`${outer} cross join ${table} on ${table}.rowid in
        (select ${table}.rowid from ${table} where ${condition} order by ${order} limit ${limit})`
    : sql`${outer} cross join lateral
        (select * from ${table} where ${condition} order by ${order} limit ${limit}) as ${byName(table)}`

/** As `firstOfEach`, with all rows of the table that meet the condition, in any order. */
export const rowsOfEach = (outer: SQL, table: PgTable, condition: SQL): SQL =>
  is(table, SQLiteTable)
    ? sql`${outer} cross join ${table} on ${condition}`
    : // A subselect with an OFFSET is not merged: merged, PostgreSQL may read the whole table.
      sql`${outer} cross join lateral (select * from ${table} where ${condition} offset 0) as ${byName(table)}`

/** As `rowsOfEach`, with nulls where no row meets the condition. At most one row may meet it. */
export const rowOfEach = (outer: SQL, table: PgTable, condition: SQL): SQL =>
  is(table, SQLiteTable)
    ? sql`${outer} left join ${table} on ${condition}`
    : sql`${outer} left join lateral (select * from ${table} where ${condition} offset 0) as ${byName(table)} on true`
