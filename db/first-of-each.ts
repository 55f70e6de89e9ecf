/** The first rows of a table for each row of another query, or for each value of a column, by an index on both engines. */
import { aliasedTable, type Column, getTableName, is, isNotNull, type SQL, sql } from 'drizzle-orm'
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

interface Newest {
  of: Column
  order: Column
  /** Of a row. Never null. */
  isMet: SQL
}

/**
 * A query for the values of the column `of`, as `id`, whose row with the highest `order` meets a condition. A unique index has both columns.
 * SQLite reads it once, and the row it leads to; PostgreSQL reads the rows once, as joining them again makes it sort them. There the condition
 * and the order are one number.
 */
export function idsByNewest(table: PgTable, { of, order, isMet }: Newest): SQL {
  const isKnown = isNotNull(of)
  return is(table, SQLiteTable)
    ? // With `max`, SQLite takes other columns from the row that has it.
      sql`select ${of} as id
        from (select rowid as newest_row, max(${order}) from ${table} where ${isKnown} group by ${of}) as newest
        inner join ${table} on ${table}.rowid = newest.newest_row where ${isMet}`
    : sql`select ${of} as id from ${table} where ${isKnown} group by ${of}
        having max(${order} * 2 + case when ${isMet} then 1 else 0 end) % 2 = 1`
}
