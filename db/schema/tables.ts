/**
 * All tables, defined once for both dialects (`db/schema/columns.ts`). `db/schema/DOMAIN/ROOM.ts` has the tables that
 * `src/DOMAIN/ROOM/` owns. After a change, `bun run generate` writes the migrations of both. Rules are constraints where SQL
 * can express them.
 */
import { defineCoverageTables } from './audit/coverage.ts'
import { defineCatalogueTables } from './club/catalogue.ts'
import { defineCompetitionsTables } from './club/competitions.ts'
import { defineDocumentsTables } from './club/documents.ts'
import { defineMatchesTables } from './club/matches.ts'
import { defineNotificationsTables } from './club/notifications.ts'
import { definePicturesTables } from './club/pictures.ts'
import { definePlayersTables } from './club/players.ts'
import { defineSeasonsTables } from './club/seasons.ts'
import { defineSegmentsTables } from './club/segments.ts'
import { defineSettingsTables } from './club/settings.ts'
import { defineSponsorsTables } from './club/sponsors.ts'
import { defineTeamsTables } from './club/teams.ts'
import type { ColumnKit } from './columns.ts'
import { defineEventSinkTables } from './delivery/event-sink.ts'
import { definePreferencesTables } from './delivery/preferences.ts'
import { definePushTables } from './delivery/push.ts'
import { defineWebhooksTables } from './delivery/webhooks.ts'
import { defineAccountsTables } from './economy/accounts.ts'
import { defineArchiveTables } from './economy/archive.ts'
import { defineCashTables } from './economy/cash.ts'
import { defineEventsTables } from './economy/events.ts'
import { defineLeaderboardTables } from './economy/leaderboard.ts'
import { definePointsTables } from './economy/points.ts'
import { defineRulesTables } from './economy/rules.ts'
import { defineAccountTables } from './fan/account.ts'
import { defineConsentsTables } from './fan/consents.ts'
import { defineMessagesTables } from './fan/messages.ts'
import { defineModerationTables } from './fan/moderation.ts'
import { defineReferralsTables } from './fan/referrals.ts'
import { defineDaysTables } from './figures/days.ts'
import { defineSeasonTables } from './figures/season.ts'
import { defineAuthTables } from './identity/auth.ts'
import { definePublicTextTables } from './identity/public-text.ts'
import { defineRelationsTables } from './identity/relations.ts'
import { defineSanctionsTables } from './identity/sanctions.ts'
import { defineServerKeysTables } from './identity/server-keys.ts'
import { defineStaffTables } from './identity/staff.ts'
import { defineUsersTables } from './identity/users.ts'
import { defineFilesTables } from './platform/files.ts'
import { defineHttpTables } from './platform/http.ts'
import { defineIdentityProviderTables } from './platform/identity-provider.ts'
import { defineJobsTables } from './platform/jobs.ts'
import { defineCheckInsTables } from './play/check-ins.ts'
import { defineCodesTables } from './play/codes.ts'
import { defineDivisionsTables } from './play/divisions.ts'
import { defineLeaguesTables } from './play/leagues.ts'
import { defineLockersTables } from './play/lockers.ts'
import { defineMembershipsTables } from './play/memberships.ts'
import { definePacksTables } from './play/packs.ts'
import { definePredictionsTables } from './play/predictions.ts'
import { definePurchasesTables } from './play/purchases.ts'
import { defineQuestionsTables } from './play/questions.ts'
import { defineQuestsTables } from './play/quests.ts'
import { defineRewardsTables } from './play/rewards.ts'
import { defineSetsTables } from './play/sets.ts'
import { defineShopTables } from './play/shop.ts'
import { defineTopUpsTables } from './play/top-ups.ts'
import { defineTradesTables } from './play/trades.ts'
import { defineWalletsTables } from './play/wallets.ts'

export type Tables = ReturnType<typeof defineTables>

const defined = new Map<ColumnKit, Tables>()

/** The tables of one dialect, defined at the first call: it takes tens of milliseconds, and commands start often. */
export function tablesOf(kit: ColumnKit): Tables {
  const tables = defined.get(kit) ?? defineTables(kit)
  defined.set(kit, tables)
  return tables
}

function defineTables(kit: ColumnKit) {
  // Tables that other tables reference.
  const teams = defineTeamsTables(kit)
  const users = defineUsersTables(kit, teams)
  const matches = defineMatchesTables(kit, teams)
  const packs = definePacksTables(kit, users)
  const sanctions = defineSanctionsTables(kit, users)
  const rewards = defineRewardsTables(kit, users)
  return {
    ...teams,
    ...users,
    ...matches,
    ...definePlayersTables(kit),
    ...defineCompetitionsTables(kit),
    ...defineSeasonsTables(kit),
    ...defineDocumentsTables(kit),
    ...defineSegmentsTables(kit, users),
    ...defineSponsorsTables(kit),
    ...defineSettingsTables(kit),
    ...definePicturesTables(kit, users),
    ...defineHttpTables(kit),
    ...defineIdentityProviderTables(kit),
    ...defineServerKeysTables(kit),
    ...defineAuthTables(kit),
    ...defineRelationsTables(kit, users),
    ...definePublicTextTables(kit, users),
    ...sanctions,
    ...defineCatalogueTables(kit),
    ...defineLeaderboardTables(kit, users),
    ...defineArchiveTables(kit),
    ...defineAccountsTables(kit, users),
    ...definePointsTables(kit, users),
    ...defineRulesTables(kit, users),
    ...defineEventsTables(kit, { ...users, ...matches }),
    ...defineCashTables(kit, users),
    ...rewards,
    ...defineMembershipsTables(kit, users),
    ...defineWalletsTables(kit, users),
    ...packs,
    ...defineShopTables(kit, { ...users, ...packs }),
    ...defineSetsTables(kit, { ...users, ...packs, ...rewards }),
    ...definePurchasesTables(kit),
    ...defineTopUpsTables(kit, users),
    ...defineLeaguesTables(kit, users),
    ...defineDivisionsTables(kit, users),
    ...defineLockersTables(kit, users),
    ...defineTradesTables(kit, { ...users, ...packs }),
    ...defineCheckInsTables(kit, { ...users, ...matches }),
    ...definePredictionsTables(kit, { ...users, ...matches }),
    ...defineQuestionsTables(kit, users),
    ...defineQuestsTables(kit, users),
    ...defineCodesTables(kit, users),
    ...defineModerationTables(kit, { ...users, ...sanctions }),
    ...defineReferralsTables(kit, users),
    ...defineConsentsTables(kit, users),
    ...defineAccountTables(kit, users),
    ...defineNotificationsTables(kit),
    ...defineMessagesTables(kit, { ...users, ...matches }),
    ...definePreferencesTables(kit, users),
    ...defineWebhooksTables(kit),
    ...definePushTables(kit, users),
    ...defineEventSinkTables(kit),
    ...defineJobsTables(kit),
    ...defineCoverageTables(kit),
    ...defineDaysTables(kit),
    ...defineSeasonTables(kit, users),
    ...defineStaffTables(kit),
    ...defineFilesTables(kit),
  }
}
