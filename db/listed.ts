/** Lists of texts as one value: a parameter of a prepared statement, which takes lists of any length, or a column of a result. */
import { type Column, getTableColumns, is, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Reader } from './types.ts'

export const toList = (values: string[]): string => JSON.stringify(values)

/** A subselect of the texts, in a column `value`. `list` is a result of `toList`, or a parameter for one. */
export const listed = ({ tables }: Pick<Reader, 'tables'>, list: string): SQL =>
  is(tables.users, SQLiteTable)
    ? sql`(select value from json_each(${list}))`
    : // Declared as text: the driver would encode a parameter of the type jsonb a second time.
      sql`(select value from jsonb_array_elements_text((${list}::text)::jsonb) as list(value))`

/** The condition that a column has one of the texts: an index look-up for each of them. */
export const isListed = (reader: Pick<Reader, 'tables'>, column: Column, list: string): SQL =>
  is(reader.tables.users, SQLiteTable)
    ? sql`${column} in ${listed(reader, list)}`
    : // For `in`, PostgreSQL may read the whole table.
      sql`${column} = any(array${listed(reader, list)})`

/**
 * An expression for WITH: the rows of a table that `condition` selects for each listed text. Each text is looked up
 * separately, in a subselect with an OFFSET, which PostgreSQL does not merge; for `in`, it may read the whole table.
 */
export function rowsOfListed<Of extends PgTable>(
  reader: Pick<Reader, 'tables' | '$with'>,
  table: Of,
  list: string,
  condition: (text: SQL<string>) => SQL | undefined,
) {
  const texts = listed(reader, list)
  const isWanted = condition(sql`listed.value`)
  const rows = is(table, SQLiteTable)
    ? sql`select ${table}.* from ${texts} as listed cross join ${table} on ${isWanted}`
    : sql`select wanted.* from ${texts} as listed cross join lateral (select * from ${table} where ${isWanted} offset 0) as wanted`
  return reader.$with('found', getTableColumns(table)).as(rows)
}

/** SQL for the texts of a column in the rows that meet a condition, in any order. None of them may be empty or have a comma. */
export function collected(
  { tables }: Pick<Reader, 'tables'>,
  column: Column,
  condition: SQL | undefined,
): SQL<string[]> {
  // Versions of SQLite before 3.44, as on macOS, have no `string_agg`.
  const concatenate = sql.raw(is(tables.users, SQLiteTable) ? 'group_concat' : 'string_agg')
  const list = sql`select ${concatenate}(${column}, ',') from ${column.table} where ${condition}`
  const split = (text: string) => (text === '' ? [] : text.split(','))
  return sql<string[]>`coalesce((${list}), '')`.mapWith(split)
}
