/** What Drizzle cannot say of a table of SQLite: added to the migrations that it writes. */

/** Tables of short rows that are found by their primary key: see `0006_rows-by-key.sql`. */
export const KEPT_BY_KEY = new Set([
  'leaderboard_counts',
  'leaderboard_entries',
  'leaderboard_scores',
  'onboardings',
  'points_accounts',
  'user_rewards',
])

/**
 * STRICT: a value of the wrong type is refused instead of stored. WITHOUT ROWID: kept by its key. Drizzle changes a table by
 * making it anew under the name `__new_…`.
 */
export function withTableOptions(migration: string): string {
  return migration.replace(/(CREATE TABLE `(?:__new_)?(\w+)`[\s\S]*?\n\));/g, (_, table, name) =>
    KEPT_BY_KEY.has(name) ? `${table} STRICT, WITHOUT ROWID;` : `${table} STRICT;`,
  )
}
