/** Leaderboards: who takes part, what each has on each board, and counts that make a rank cheap. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from './columns.ts'
import type { FanTables } from './fans.ts'

export function defineLeaderboardTables(kit: ColumnKit, { users }: FanTables) {
  const { table, id, text, integer, timestamp } = kit

  /** Enrolment, at most once. */
  const leaderboardEntries = table('leaderboard_entries', {
    userId: id()
      .primaryKey()
      .references(() => users.id),
    enrolledAt: timestamp().notNull(),
    /** Over both: places follow from the instant, and nothing else says what it was. Null from before it was kept. */
    hash: text(),
  })

  /**
   * What an enrolled fan has earned on a board: `all`, a week `2026-W47` or a month `2026-11`.
   * Points are kept negated, so that the order of rank ascends in every column: then one row value
   * (minus_points, reached_at, user_id) is a place on the board, on both engines and in both directions.
   */
  const leaderboardScores = table(
    'leaderboard_scores',
    {
      board: id().notNull(),
      userId: id()
        .notNull()
        .references(() => users.id),
      minusPoints: integer().notNull(),
      /** When the fan got to these points: milliseconds since 1970, for the arithmetic of the counts. */
      reachedAt: integer().notNull(),
    },
    t => [
      kit.primaryKey({ columns: [t.board, t.userId] }),
      kit.index('leaderboard_scores_rank').on(t.board, t.minusPoints, t.reachedAt, t.userId),
      kit.check('leaderboard_scores_points_exact', sql`${t.minusPoints} between -9007199254740991 and 0`),
    ],
  )

  /** How many fans of a board are in a bucket: see `src/leaderboard/rank-index/rank-index.ts`. An empty bucket has no row. */
  const leaderboardCounts = table(
    'leaderboard_counts',
    {
      board: id().notNull(),
      level: integer().notNull(),
      /** Where the bucket begins. */
      points: integer().notNull(),
      reachedAt: integer().notNull(),
      fans: integer().notNull(),
    },
    t => [
      kit.primaryKey({ columns: [t.board, t.level, t.points, t.reachedAt] }),
      kit.check('leaderboard_counts_not_negative', sql`${t.fans} >= 0`),
    ],
  )

  return { leaderboardEntries, leaderboardScores, leaderboardCounts }
}
