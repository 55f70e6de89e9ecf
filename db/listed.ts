/** A list of texts as one parameter: a prepared statement takes lists of any length. */
import { getTableColumns, is, type SQL, sql } from 'drizzle-orm'
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

/**
 * For WITH: the rows of a table that `condition` selects for each listed text. Each text is looked up by itself: for `in`,
 * PostgreSQL may read the whole table, but it merges no subselect that has an OFFSET.
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
