/** Exports everything that is stored about a fan, for the fan, without credentials and their hashes. */
import type { Reader } from '../../../db/index.ts'
import { exportPictures } from '../../club/pictures/owned.ts'
import type { Subject, UserReference } from '../../core/caller.ts'
import type { Encryption } from '../../core/encryption.ts'
import { exportDeliveries } from '../../delivery/webhooks/export.ts'
import { exportCash } from '../../economy/cash/export.ts'
import { exportEarlyVoids, exportEvents } from '../../economy/events/export.ts'
import { exportScores } from '../../economy/leaderboard/export.ts'
import { exportPoints } from '../../economy/points/export.ts'
import { exportRuleUses } from '../../economy/rules/export.ts'
import { exportAppeals } from '../../fan/moderation/appeals.ts'
import { exportReports } from '../../fan/moderation/export.ts'
import { readSanctions } from '../../fan/moderation/sanctions.ts'
import { readOnboarding } from '../../fan/onboarding/onboarding.ts'
import { exportSessions } from '../../identity/auth/export.ts'
import { exportTerms } from '../../identity/public-text/terms.ts'
import { exportRelations } from '../../identity/relations/export.ts'
import { exportIdentity } from '../../identity/users/export.ts'
import { exportMerges, findFanOf, listMergedRecords } from '../../identity/users/merges.ts'
import { findUser, type User } from '../../identity/users/users.ts'
import { exportStoredResponses } from '../../platform/http/idempotency/export.ts'
import { exportCheckIns } from '../../play/check-ins/export.ts'
import { exportLocker } from '../../play/lockers/personal-data.ts'
import {
  exportGivenItems,
  exportItemTransfers,
  exportPacks,
  exportPurchases,
  exportReceivedItems,
} from '../../play/packs/export.ts'
import { exportPredictions } from '../../play/predictions/predictions.ts'
import { exportQuests, exportStreaks } from '../../play/quests/export.ts'
import { exportClaims } from '../../play/rewards/export.ts'
import { exportCompletedSets } from '../../play/sets/sets.ts'
import { exportOrders } from '../../play/shop/personal-data.ts'
import { exportTopUps } from '../../play/top-ups/top-ups.ts'
import { exportTrades } from '../../play/trades/export.ts'
import { listLinked } from '../../play/wallets/link.ts'

/**
 * Undefined if nothing is stored about the fan. Long lists are iterables, to be read once and in order. A fan who only
 * signed in on a device has sessions but no record. Without `addressEncryption`, addresses of orders are left out.
 */
export async function exportUser(reader: Reader, fan: UserReference, addressEncryption?: Encryption) {
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
  const { provider: _, subject: _s, hasBlocks: _b, nameKey: _k, ...profile } = user
  const { leaderboard, ...onboarding } = await readOnboarding(reader, { userId: user.id })
  return {
    profile,
    ...(await exportIdentity(reader, user)),
    ...(await exportMerges(reader, user.id)),
    pictures: await exportPictures(reader, user.id),
    ...(await exportRelations(reader, user.id)),
    terms: await exportTerms(reader, user.id),
    ...(await readSanctions(reader, { userId: user.id })),
    appeals: await exportAppeals(reader, user.id),
    reports: await exportReports(reader, user.id),
    onboarding,
    leaderboard: { ...leaderboard, scores: await exportScores(reader, user.id) },
    points: await exportPoints(reader, user.id),
    cash: await exportCash(reader, user.id),
    topUps: exportTopUps(reader, user.id),
    events: exportEvents(reader, user.id),
    earlyVoids: await exportEarlyVoids(reader, user.id),
    ruleUses: await exportRuleUses(reader, user.id),
    rewards: await exportClaims(reader, user.id),
    purchases: exportPurchases(reader, user.id),
    packs: exportPacks(reader, user.id),
    orders: exportOrders(reader, user.id, addressEncryption),
    givenItems: await exportGivenItems(reader, user.id),
    receivedItems: await exportReceivedItems(reader, user.id),
    trades: await exportTrades(reader, user.id),
    wallets: await listLinked(reader, user.id),
    itemTransfers: await exportItemTransfers(reader, user.id),
    locker: await exportLocker(reader, user.id),
    webhookDeliveries: await exportDeliveries(reader, user.id),
    checkIns: await exportCheckIns(reader, user.id),
    predictions: await exportPredictions(reader, user.id),
    quests: exportQuests(reader, user.id),
    streaks: await exportStreaks(reader, user.id),
    completedSets: await exportCompletedSets(reader, user.id),
  }
}
