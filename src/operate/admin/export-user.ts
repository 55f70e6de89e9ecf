/** Exports everything that is stored about a fan, for the fan, without credentials and their hashes. */
import type { Reader } from '../../../db/index.ts'
import { exportPictures } from '../../club/pictures/owned.ts'
import { exportSegments } from '../../club/segments/personal-data.ts'
import type { Subject, UserReference } from '../../core/caller.ts'
import type { Encryption } from '../../core/encryption.ts'
import { exportPreferences } from '../../delivery/preferences/preferences.ts'
import { exportDevices, exportPushes } from '../../delivery/push/personal-data.ts'
import { exportDeliveries } from '../../delivery/webhooks/personal-data.ts'
import { exportAccounts } from '../../economy/accounts/personal-data.ts'
import { ArchiveFault } from '../../economy/archive/files.ts'
import { readPast } from '../../economy/archive/past.ts'
import { exportCash } from '../../economy/cash/personal-data.ts'
import { exportEarlyVoids, exportEvents } from '../../economy/events/personal-data.ts'
import { exportScores } from '../../economy/leaderboard/personal-data.ts'
import { exportPoints } from '../../economy/points/personal-data.ts'
import { findSeam, type Seam } from '../../economy/points/seams.ts'
import { exportRuleUses } from '../../economy/rules/personal-data.ts'
import { exportExports } from '../../fan/account/exports.ts'
import { exportConsents } from '../../fan/consents/consents.ts'
import { exportMessages } from '../../fan/messages/inbox.ts'
import { exportCampaigns } from '../../fan/messages/personal-data.ts'
import { exportAppeals } from '../../fan/moderation/appeals.ts'
import { exportReports } from '../../fan/moderation/personal-data.ts'
import { readSanctions } from '../../fan/moderation/sanctions.ts'
import { readOnboarding } from '../../fan/onboarding/onboarding.ts'
import { exportReferral } from '../../fan/referrals/referrals.ts'
import { exportSessions } from '../../identity/auth/personal-data.ts'
import { exportTerms } from '../../identity/public-text/terms.ts'
import { exportRelations } from '../../identity/relations/personal-data.ts'
import { exportAgeChanges } from '../../identity/users/age-history.ts'
import { exportMerges, findFanOf, listMergedRecords } from '../../identity/users/merges.ts'
import { exportIdentity } from '../../identity/users/personal-data.ts'
import { findUser, type User } from '../../identity/users/users.ts'
import { exportStoredResponses } from '../../platform/http/idempotency/personal-data.ts'
import { exportCheckIns } from '../../play/check-ins/personal-data.ts'
import { exportRedemptions } from '../../play/codes/redeem.ts'
import { exportDivisions } from '../../play/divisions/personal-data.ts'
import { exportLeagues } from '../../play/leagues/personal-data.ts'
import { exportLocker } from '../../play/lockers/personal-data.ts'
import { exportMemberships } from '../../play/memberships/memberships.ts'
import {
  exportGivenItems,
  exportItemTransfers,
  exportPacks,
  exportPurchases,
  exportReceivedItems,
} from '../../play/packs/personal-data.ts'
import { exportPredictions } from '../../play/predictions/predictions.ts'
import { exportLimits } from '../../play/purchases/own-limits.ts'
import { exportVotes } from '../../play/questions/personal-data.ts'
import { exportQuests, exportStreaks } from '../../play/quests/personal-data.ts'
import { exportReceipts } from '../../play/receipts/personal-data.ts'
import { exportClaims } from '../../play/rewards/personal-data.ts'
import { exportCompletedSets } from '../../play/sets/sets.ts'
import { exportOrders } from '../../play/shop/personal-data.ts'
import { exportTopUps } from '../../play/top-ups/top-ups.ts'
import { exportTrades } from '../../play/trades/personal-data.ts'
import { listLinked } from '../../play/wallets/wallets.ts'

/**
 * Undefined if nothing is stored about the fan. Long lists are iterables, to be read once and in order. A fan who only
 * signed in on a device has sessions but no record. Without `addressEncryption`, addresses of orders are left out. `archive`: the folder of the
 * archive, whose rows of the fan are exported too. Archived and other rows are not read at one time: the list of events throws an ArchiveFault at its
 * end if any were archived or restored meanwhile. @throws ArchiveFault
 */
export async function exportUser(
  reader: Reader,
  fan: UserReference,
  addressEncryption?: Encryption,
  archive?: string,
) {
  const user = 'id' in fan ? await findFanOf(reader, fan.id) : await findUser(reader, fan)
  const caller: Subject | undefined = user ?? ('id' in fan ? undefined : fan)
  const sessions = caller ? await exportSessions(reader, caller) : []
  if (!caller || (!user && sessions.length === 0)) return undefined
  return {
    exportedAt: reader.now(),
    subject: { provider: caller.provider, subject: caller.subject },
    ...(user ? await exportRecord(reader, user, addressEncryption) : { profile: null }),
    sessions,
    storedResponses: await exportStoredResponses(reader, caller, addressEncryption),
    // A merged record has no archived past.
    ...(user && archive !== undefined ? { archived: await readPast(reader, archive, user.id) } : {}),
    mergedRecords: user ? await exportMerged(reader, user, addressEncryption) : [],
  }
}

/** Data that stays with merged records of the fan: their history and the data of their sign-ins. */
async function exportMerged(reader: Reader, user: User, addressEncryption: Encryption | undefined) {
  const documents = []
  for (const record of await listMergedRecords(reader, user.id)) {
    const { id, provider, subject } = record
    documents.push({
      id,
      signIn: { provider, subject },
      ...(await exportRecord(reader, record, addressEncryption)),
      sessions: await exportSessions(reader, record),
      storedResponses: await exportStoredResponses(reader, record, addressEncryption),
    })
  }
  return documents
}

async function exportRecord(reader: Reader, user: User, addressEncryption: Encryption | undefined) {
  // `hasBlocks` would reveal that another fan has blocked this one; `nameKey` repeats `displayName`.
  const { provider: _, subject: _s, hasBlocks: _b, nameKey: _k, ownLimits: _l, ...profile } = user
  const seam = await findSeam(reader, user.id)
  const { leaderboard, ...onboarding } = await readOnboarding(reader, { userId: user.id })
  return {
    profile,
    limits: await exportLimits(reader, user.id),
    ...(await exportIdentity(reader, user)),
    ...(await exportMerges(reader, user.id)),
    pictures: await exportPictures(reader, user.id),
    ...(await exportRelations(reader, user.id)),
    consents: await exportConsents(reader, user.id),
    ageChanges: await exportAgeChanges(reader, user.id),
    messages: await exportMessages(reader, user.id),
    messageCampaigns: await exportCampaigns(reader, user.id),
    notificationPreferences: await exportPreferences(reader, user.id),
    segments: await exportSegments(reader, user.id),
    terms: await exportTerms(reader, user.id),
    ...(await readSanctions(reader, { userId: user.id })),
    appeals: await exportAppeals(reader, user.id),
    reports: await exportReports(reader, user.id),
    onboarding,
    referral: await exportReferral(reader, user.id),
    leaderboard: { ...leaderboard, scores: await exportScores(reader, user.id) },
    points: await exportPoints(reader, user.id),
    accounts: await exportAccounts(reader, user.id),
    cash: await exportCash(reader, user.id),
    topUps: exportTopUps(reader, user.id),
    events: unlessPastChanges(reader, user.id, seam, exportEvents(reader, user.id)),
    earlyVoids: await exportEarlyVoids(reader, user.id),
    ruleUses: await exportRuleUses(reader, user.id),
    rewards: await exportClaims(reader, user.id),
    purchases: exportPurchases(reader, user.id),
    packs: exportPacks(reader, user.id),
    orders: exportOrders(reader, user.id, addressEncryption),
    receipts: exportReceipts(reader, user.id, addressEncryption),
    givenItems: await exportGivenItems(reader, user.id),
    receivedItems: await exportReceivedItems(reader, user.id),
    trades: await exportTrades(reader, user.id),
    wallets: await listLinked(reader, user.id),
    itemTransfers: await exportItemTransfers(reader, user.id),
    locker: await exportLocker(reader, user.id),
    leagues: await exportLeagues(reader, user.id),
    divisions: await exportDivisions(reader, user.id),
    webhookDeliveries: await exportDeliveries(reader, user.id),
    devices: await exportDevices(reader, user.id),
    dataExports: await exportExports(reader, user.id),
    pushes: await exportPushes(reader, user.id),
    checkIns: await exportCheckIns(reader, user.id),
    memberships: await exportMemberships(reader, user.id),
    predictions: await exportPredictions(reader, user.id),
    votes: await exportVotes(reader, user.id),
    quests: exportQuests(reader, user.id),
    streaks: await exportStreaks(reader, user.id),
    redeemedCodes: await exportRedemptions(reader, user.id),
    completedSets: await exportCompletedSets(reader, user.id),
  }
}

async function* unlessPastChanges<Row>(
  reader: Reader,
  userId: string,
  before: Seam | undefined,
  rows: AsyncIterable<Row>,
): AsyncGenerator<Row> {
  yield* rows
  const after = await findSeam(reader, userId)
  if (after?.digest !== before?.digest || after?.files !== before?.files)
    throw new ArchiveFault('Rows of the fan were archived or restored during the export. Export again.')
}
