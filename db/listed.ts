/** A list of texts as one parameter: a prepared statement takes lists of any length. */
import { type Column, is, type SQL, sql } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Reader } from './types.ts'

export const toList = (values: string[]): string => JSON.stringify(values)

/** A subselect of the texts, in a column `value`. `list` is a result of `toList`, or a parameter for one. */
export const listed = ({ tables }: Pick<Reader, 'tables'>, list: string): SQL =>
  is(tables.users, SQLiteTable)
    ? sql`(select value from json_each(${list}))`
    : // Declared as text: the driver would encode a parameter of the type jsonb a second time.
      sql`(select value from jsonb_array_elements_text((${list}::text)::jsonb) as list(value))`

export const isListed = (reader: Pick<Reader, 'tables'>, column: Column, list: string): SQL =>
  sql`${column} in ${listed(reader, list)}`
