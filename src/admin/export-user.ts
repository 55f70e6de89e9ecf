/** Exports everything that is stored about a fan, for the fan, without credentials and their hashes. */
import type { Reader } from '../../db/index.ts'
import { exportSessions } from '../auth/export.ts'
import { exportCheckIns } from '../check-ins/export.ts'
import type { Caller, UserReference } from '../core/caller.ts'
import { exportEvents } from '../events/export.ts'
import { exportStoredResponses } from '../http/idempotency/export.ts'
import { exportScores } from '../leaderboard/export.ts'
import { readOnboarding } from '../onboarding/onboarding.ts'
import { exportGivenItems, exportPacks, exportPurchases } from '../packs/export.ts'
import { exportPoints } from '../points/export.ts'
import { exportPredictions } from '../predictions/export.ts'
import { exportQuests, exportStreaks } from '../quests/export.ts'
import { exportClaims } from '../rewards/export.ts'
import { exportRuleUses } from '../rules/export.ts'
import { exportIdentity } from '../users/export.ts'
import { findUser, findUserById, type User } from '../users/users.ts'
import { exportDeliveries } from '../webhooks/export.ts'

/**
 * Undefined if nothing is stored about the fan. Unbounded lists are iterables, to be read once and in order.
 * A fan who only signed in on a device has sessions and no record.
 */
export async function exportUser(reader: Reader, fan: UserReference) {
  const user = 'id' in fan ? await findUserById(reader, fan.id) : await findUser(reader, fan)
  const who: Caller | undefined = user ?? ('id' in fan ? undefined : fan)
  const sessions = who ? await exportSessions(reader, who) : []
  if (!who || (!user && sessions.length === 0)) return undefined
  return {
    exportedAt: reader.now(),
    subject: { provider: who.provider, subject: who.subject },
    ...(user ? await exportRecord(reader, user) : { profile: null }),
    sessions,
    keptAnswers: await exportStoredResponses(reader, who),
  }
}

async function exportRecord(reader: Reader, user: User) {
  const { provider: _, subject: _s, ...profile } = user
  const { leaderboard, ...onboarding } = await readOnboarding(reader, { userId: user.id })
  return {
    profile,
    ...(await exportIdentity(reader, user)),
    onboarding,
    leaderboard: { ...leaderboard, scores: await exportScores(reader, user.id) },
    points: await exportPoints(reader, user.id),
    events: exportEvents(reader, user.id),
    ruleUses: await exportRuleUses(reader, user.id),
    rewards: await exportClaims(reader, user.id),
    purchases: exportPurchases(reader, user.id),
    packs: exportPacks(reader, user.id),
    givenItems: await exportGivenItems(reader, user.id),
    webhookDeliveries: await exportDeliveries(reader, user.id),
    checkIns: await exportCheckIns(reader, user.id),
    predictions: await exportPredictions(reader, user.id),
    quests: exportQuests(reader, user.id),
    streaks: await exportStreaks(reader, user.id),
  }
}
