/** Ids that several queries have in common. */
import { type SQL, sql } from 'drizzle-orm'
import { isOnSqlite } from './row-lock.ts'
import type { Reader } from './types.ts'

/**
 * A query for the ids that all of these queries return, and none of the others. Each query returns an id once, as its only column, `id`.
 * SQLite merges sorted results; PostgreSQL joins them, which its processes do together.
 */
export function commonIds(
  reader: Pick<Reader, 'tables'>,
  [first, ...others]: readonly [SQL, ...SQL[]],
  none: readonly SQL[],
): SQL {
  if (others.length + none.length === 0) return first
  if (isOnSqlite(reader)) {
    const rest = [
      ...others.map(query => sql` intersect ${query}`),
      ...none.map(query => sql` except ${query}`),
    ]
    return sql`${first}${sql.join(rest)} order by 1`
  }
  const conditions = [
    ...others.map(query => sql`first_ids.id in (${query})`),
    ...none.map(
      query => sql`not exists (select 1 from (${query}) as other_ids where other_ids.id = first_ids.id)`,
    ),
  ]
  return sql`select first_ids.id from (${first}) as first_ids where ${sql.join(conditions, sql` and `)}`
}
