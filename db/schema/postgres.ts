/** The tables in the dialect of PostgreSQL, one export each, as drizzle-kit requires. */
import { postgres } from './columns.ts'
import { defineTables } from './tables.ts'

export const {
  teams,
  users,
  identities,
  deferredSyncs,
  nativeSessions,
  refreshTokens,
  revokedTokens,
  idempotencyKeys,
  onboardings,
  pointsAccounts,
  pointsEntries,
  leaderboardEntries,
  leaderboardScores,
  leaderboardCounts,
  rewards,
  userRewards,
  collectibles,
  packs,
  packItems,
  packPurchases,
  userPacks,
  userItems,
  rateLimitWindows,
} = defineTables(postgres)
