/** Leaderboards: enrolments, scores per board, and the counts of the rank index. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineLeaderboardTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, timestamp } = kit

  /** Whether a fan takes part in the leaderboards, and since when. */
  const leaderboardEntries = table('leaderboard_entries', {
    userId: idOf(users).primaryKey(),
    enrolledAt: timestamp().notNull(),
    /** Hash of both columns: ranks depend on the time, which is stored only here. Null in older rows. */
    hash: text(),
    /** Null while the fan takes part. A fan who left is on no board and is enrolled again only at their own request. */
    leftAt: timestamp(),
  })

  /**
   * The points of an enrolled fan on a board: `all`, a week `2026-W47` or a month `2026-11`. They are stored negated, so that
   * rank order ascends in every column: one row value (minus_points, reached_at, user_id) is then a position on the board,
   * on both engines and in both directions.
   */
  const leaderboardScores = table(
    'leaderboard_scores',
    {
      board: id().notNull(),
      userId: idOf(users),
      minusPoints: integer().notNull(),
      /** When the fan reached these points: milliseconds since 1970, for the arithmetic of the counts. */
      reachedAt: integer().notNull(),
    },
    t => [
      kit.primaryKey({ columns: [t.board, t.userId] }),
      kit.index('leaderboard_scores_rank').on(t.board, t.minusPoints, t.reachedAt, t.userId),
      kit.check('leaderboard_scores_points_exact', sql`${t.minusPoints} between -9007199254740991 and 0`),
    ],
  )

  /** How many fans of a board are in a bucket: see `src/economy/leaderboard/rank-index/rank-index.ts`. An empty bucket has no row. */
  const leaderboardCounts = table(
    'leaderboard_counts',
    {
      board: id().notNull(),
      level: integer().notNull(),
      /** Start of the bucket. */
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

export const fanData = {
  leaderboardEntries: {
    userId: {
      export: 'leaderboard',
      erasure: 'keep',
      merge: { rule: 'the merged record leaves; the other fan is enrolled if it was' },
    },
  },
  leaderboardScores: {
    userId: {
      export: 'leaderboard',
      erasure: 'keep',
      merge: { rule: 'the points of boards that are not final are carried over' },
    },
  },
} satisfies FanData<ReturnType<typeof defineLeaderboardTables>>
