/**
 * Every table, written once and defined for either dialect (`db/columns.ts`). After a change here:
 * `bun run generate` writes the migrations of both. Rules live here as constraints wherever one can say them.
 */
import type { ColumnKit } from './columns.ts'
import { defineFansTables } from './tables/fans.ts'
import { defineIdempotencyTables } from './tables/idempotency.ts'
import { defineLeaderboardTables } from './tables/leaderboard.ts'
import { defineLimitsTables } from './tables/limits.ts'
import { definePacksTables } from './tables/packs.ts'
import { definePointsTables } from './tables/points.ts'
import { defineRewardsTables } from './tables/rewards.ts'
import { defineSignInTables } from './tables/sign-in.ts'

export type Tables = ReturnType<typeof defineTables>

export function defineTables(kit: ColumnKit) {
  const fans = defineFansTables(kit)
  return {
    ...fans,
    ...defineSignInTables(kit),
    ...defineIdempotencyTables(kit),
    ...definePointsTables(kit, fans),
    ...defineLeaderboardTables(kit, fans),
    ...defineRewardsTables(kit, fans),
    ...definePacksTables(kit, fans),
    ...defineLimitsTables(kit),
  }
}
