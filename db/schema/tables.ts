/**
 * All tables, defined once for both dialects (`db/schema/columns.ts`). After a change, `bun run generate` writes the
 * migrations of both. Rules are constraints where SQL can express them.
 */
import type { ColumnKit } from './columns.ts'
import { defineCredentialTables } from './credentials.ts'
import { defineEventTables } from './events.ts'
import { defineFansTables } from './fans.ts'
import { defineLeaderboardTables } from './leaderboard.ts'
import { defineMatchTables } from './matches.ts'
import { definePacksTables } from './packs.ts'
import { definePointsTables } from './points.ts'
import { defineQuestTables } from './quests.ts'
import { defineRequestTables } from './requests.ts'
import { defineRewardsTables } from './rewards.ts'
import { defineWebhookTables } from './webhooks.ts'

export type Tables = ReturnType<typeof defineTables>

const defined = new Map<ColumnKit, Tables>()

/** The tables of one dialect, defined at the first call: it takes tens of milliseconds, and commands start often. */
export function tablesOf(kit: ColumnKit): Tables {
  const tables = defined.get(kit) ?? defineTables(kit)
  defined.set(kit, tables)
  return tables
}

function defineTables(kit: ColumnKit) {
  const fans = defineFansTables(kit)
  return {
    ...fans,
    ...defineCredentialTables(kit),
    ...defineRequestTables(kit),
    ...definePointsTables(kit, fans),
    ...defineLeaderboardTables(kit, fans),
    ...defineRewardsTables(kit, fans),
    ...definePacksTables(kit, fans),
    ...defineEventTables(kit, fans),
    ...defineQuestTables(kit, fans),
    ...defineMatchTables(kit, fans),
    ...defineWebhookTables(kit, fans),
  }
}
