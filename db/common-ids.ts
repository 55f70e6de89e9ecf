/** Ids that several queries have in common. */
import { type SQL, sql } from 'drizzle-orm'
import { isOnSqlite } from './row-lock.ts'
import type { Reader } from './types.ts'

/**
 * A query for the ids that all of these queries return, and none of the others. SQLite merges sorted results, without a table in
 * memory for each query; PostgreSQL would only sort what it has counted.
 */
export function commonIds(
  reader: Pick<Reader, 'tables'>,
  [first, ...others]: readonly [SQL, ...SQL[]],
  none: readonly SQL[],
): SQL {
  const parts = [
    ...others.map(query => sql` intersect ${query}`),
    ...none.map(query => sql` except ${query}`),
  ]
  if (parts.length === 0) return first
  return sql`${first}${sql.join(parts)}${isOnSqlite(reader) ? sql` order by 1` : sql``}`
}
