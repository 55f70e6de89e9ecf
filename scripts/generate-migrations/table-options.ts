/** Adds table options of SQLite to generated migrations, since Drizzle cannot express them. */

/** Tables with short rows that are read by primary key: see `0000_initial.sql` of SQLite. */
export const WITHOUT_ROWID = new Set([
  'check_ins',
  'fan_relations',
  'follow_counts',
  'leaderboard_counts',
  'leaderboard_entries',
  'leaderboard_scores',
  'locker_items',
  'notification_preferences',
  'onboardings',
  'points_accounts',
  'predictions',
  'privacy_settings',
  'quest_counts',
  'quest_progress',
  'quest_streaks',
  'rule_uses',
  'set_completions',
  'set_items',
  'user_rewards',
  'webhook_lanes',
])

/**
 * STRICT rejects values of the wrong type. WITHOUT ROWID stores rows by primary key. Drizzle changes a table by creating
 * a new one named `__new_…`.
 */
export function withTableOptions(migration: string): string {
  return migration.replace(/(CREATE TABLE `(?:__new_)?(\w+)`[\s\S]*?\n\));/g, (_, table, name) =>
    WITHOUT_ROWID.has(name) ? `${table} STRICT, WITHOUT ROWID;` : `${table} STRICT;`,
  )
}
