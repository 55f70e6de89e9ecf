/**
 * Erases a fan's personal data: the profile, the provider's data and subject, devices, pictures, encrypted
 * tokens, redemption codes, notes of grants, stored responses, webhook deliveries, pushes, the locker, linked
 * wallets, memberships, leagues, divisions, messages and preferences of them, files of exports, and relations to other fans. The rest stays under an id that does not identify a person: the
 * ledger, whose hashes contain no personal data; ranked entries, since removing one would change other ranks;
 * claims, purchases and packs.
 */
import type { Reader, Transaction } from '../../../db/index.ts'
import { deletePicturesOf } from '../../club/pictures/owned.ts'
import { deleteSegmentsOf } from '../../club/segments/personal-data.ts'
import type { Subject, UserReference } from '../../core/caller.ts'
import { deletePreferences } from '../../delivery/preferences/preferences.ts'
import { deletePushesOf } from '../../delivery/push/personal-data.ts'
import { deleteDeliveriesOf } from '../../delivery/webhooks/replay.ts'
import { deletePromotionNotes } from '../../economy/cash/personal-data.ts'
import { deleteArchivedIds } from '../../economy/events/archived.ts'
import { countEventData, deleteEventData } from '../../economy/events/delete-data.ts'
import { countNotes, deleteNotes } from '../../economy/points/grants.ts'
import { removeCopies } from '../../economy/points/groups.ts'
import { deletePointsHolds } from '../../economy/points/holds.ts'
import { deleteArchiveKey } from '../../economy/points/seams.ts'
import { countSessions, deleteSessions } from '../../identity/auth/native-sessions.ts'
import { lockSignIn } from '../../identity/auth/token-validity.ts'
import { deleteRelations } from '../../identity/relations/personal-data.ts'
import { deleteAppeals } from '../../identity/sanctions/appeals.ts'
import { clearFactsAbout, deleteNotesAbout } from '../../identity/sanctions/decisions.ts'
import { clearSourcesOf } from '../../identity/users/age-history.ts'
import { ensureUser } from '../../identity/users/callers.ts'
import { deleteMergeReasons, findFanOf, listSignIns } from '../../identity/users/merges.ts'
import { findMirror, isSyncQueued } from '../../identity/users/mirror.ts'
import { PROFILE_FIELDS } from '../../identity/users/profile-fields.ts'
import { eraseRecord, type Tombstone } from '../../identity/users/tombstone.ts'
import { erasedSubject, findRecords, requireUser, type User } from '../../identity/users/users.ts'
import { deleteKeysOf } from '../../platform/http/idempotency/key-store.ts'
import { deleteDivisionsOf } from '../../play/divisions/personal-data.ts'
import { deleteLeaguesOf } from '../../play/leagues/personal-data.ts'
import { deleteLocker } from '../../play/lockers/personal-data.ts'
import { deleteMembershipsOf } from '../../play/memberships/memberships.ts'
import { deleteClientSeeds } from '../../play/packs/personal-data.ts'
import { cancelPendingPacks } from '../../play/packs/purchases.ts'
import { deleteCountsOf } from '../../play/quests/counted.ts'
import { countCodes, voidCodes } from '../../play/rewards/void-codes.ts'
import { eraseOrders } from '../../play/shop/personal-data.ts'
import { voidTradesOf } from '../../play/trades/end.ts'
import { deleteWallets } from '../../play/wallets/wallets.ts'
import { deleteMessagesOf } from '../messages/personal-data.ts'
import { eraseNotices, eraseReports } from '../moderation/personal-data.ts'
import { deleteReferralCodes } from '../referrals/referrals.ts'
import { deleteExportsOf } from './exports.ts'

export interface Erasure {
  /** Null for a fan without a user record, who only signed in on a device. */
  userId: string | null
  erasedAt: string | null
  /** Names of the members that have a value, never the values. */
  profile: string[]
  identity: string[]
  devices: number
  redemptionCodes: number
  grantNotes: number
  /** Events with data. */
  eventData: number
  deferredSyncs: number
}

/** What an erasure would delete. Null if nothing is stored about the fan. */
export async function planErasure(reader: Reader, reference: UserReference): Promise<Erasure | null> {
  const user = await findFan(reader, reference)
  let devices = await countSessions(reader, callerOf(reference))
  if (!user) return devices > 0 ? { ...NOTHING, userId: null, erasedAt: null, devices } : null
  const signIns = await listSignIns(reader, user)
  for (const { provider, subject } of signIns)
    if (subject !== callerOf(reference).subject) devices += await countSessions(reader, { provider, subject })
  const plans = await Promise.all(signIns.map(record => planRecord(reader, record)))
  const sum = (of: (plan: RecordPlan) => number) => plans.reduce((total, plan) => total + of(plan), 0)
  return {
    userId: user.id,
    erasedAt: user.erasedAt?.toISOString() ?? null,
    profile: [...new Set(plans.flatMap(({ profile }) => profile))],
    identity: [...new Set(plans.flatMap(({ identity }) => identity))],
    devices,
    redemptionCodes: sum(plan => plan.redemptionCodes),
    grantNotes: sum(plan => plan.grantNotes),
    eventData: sum(plan => plan.eventData),
    deferredSyncs: sum(plan => plan.deferredSyncs),
  }
}

type RecordPlan = Omit<Erasure, 'userId' | 'erasedAt' | 'devices'>

async function planRecord(reader: Reader, user: User): Promise<RecordPlan> {
  const mirror = await findMirror(reader, user.id)
  const mirrored = ['email', 'emailVerified', 'name', 'picture'] as const
  return {
    profile: PROFILE_FIELDS.filter(name => user[name] !== null),
    identity: [
      ...(user.erasedAt ? [] : ['subject']),
      ...mirrored.filter(name => mirror && mirror[name] !== null),
    ],
    redemptionCodes: await countCodes(reader, user.id),
    grantNotes: await countNotes(reader, user.id),
    eventData: await countEventData(reader, user.id),
    deferredSyncs: (await isSyncQueued(reader, user.id)) ? 1 : 0,
  }
}

const NOTHING = {
  profile: [],
  identity: [],
  redemptionCodes: 0,
  grantNotes: 0,
  eventData: 0,
  deferredSyncs: 0,
}

/**
 * A repeat erases what an earlier call has left, or what was stored since. Sessions, which cannot be used any
 * more, and stored responses are stored under the provider's subject: a repeat finds them only by the
 * subject. Returns what it erased, or null if nothing is stored about the fan. `onErased` is called with the
 * tombstone before the unit of work is committed.
 */
export async function eraseUser(
  tx: Transaction,
  reference: UserReference,
  onErased?: (tombstone: Tombstone) => void,
): Promise<Erasure | null> {
  const found = await findFan(tx, reference)
  const known: Subject[] = found ? await listSignIns(tx, found) : []
  // One order for all units of work.
  for (const fan of namesOf([...known, ...('subject' in reference ? [reference] : [])]))
    await lockSignIn(tx, fan)
  const plan = await planErasure(tx, reference)
  if (!plan) return null
  // A fan with sessions only: without a tombstone they could sign in again with a token that is still valid.
  const user = (await findFan(tx, reference)) ?? (await createRecord(tx, reference))
  const records = await listSignIns(tx, user)
  for (const record of records) {
    const first = await eraseOne(tx, record)
    const { provider } = record
    if (first) onErased?.({ provider, subject: erasedSubject(record), erasedAt: tx.now() })
  }
  await deleteSessions(tx, callerOf(reference))
  await deleteKeysOf(tx, callerOf(reference))
  await tx.spine.account.afterErasure(
    tx,
    records.map(({ id }) => id),
  )
  return { ...plan, userId: user.id }
}

async function createRecord(tx: Transaction, reference: UserReference): Promise<User> {
  const { user } = await ensureUser(tx, callerOf(reference))
  return requireUser(tx, user.id)
}

/** Each once, in one order. */
function namesOf(fans: Subject[]): Subject[] {
  const names = new Map(
    fans.map(({ provider, subject }) => [`${provider} ${subject}`, { provider, subject }]),
  )
  return [...names].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, fan]) => fan)
}

/**
 * Erases one record: that of the fan, or one that was merged into the fan. True if it was not erased before.
 */
async function eraseOne(tx: Transaction, user: User): Promise<boolean> {
  const first = await eraseRecord(tx, user)
  await voidCodes(tx, user.id)
  await deleteNotes(tx, user.id)
  await deleteMergeReasons(tx, user.id)
  await deletePromotionNotes(tx, user.id)
  await deleteCountsOf(tx, user.id)
  await deleteRelations(tx, user.id)
  await voidTradesOf(tx, user.id)
  await cancelPendingPacks(tx, user.id)
  await deletePointsHolds(tx, user.id)
  await deleteClientSeeds(tx, user.id)
  await eraseOrders(tx, user.id)
  await deleteNotesAbout(tx, user.id)
  await clearFactsAbout(tx, user.id)
  await clearSourcesOf(tx, user.id)
  await deleteAppeals(tx, user.id)
  await eraseReports(tx, user.id)
  await eraseNotices(tx, user.id)
  await deleteReferralCodes(tx, user.id)
  await deleteLocker(tx, user.id)
  await deleteLeaguesOf(tx, user.id)
  await deleteDivisionsOf(tx, user.id)
  await removeCopies(tx, user.id)
  await deleteWallets(tx, user.id)
  await deleteMembershipsOf(tx, user.id)
  await deleteMessagesOf(tx, user.id)
  await deletePreferences(tx, user.id)
  await deleteSegmentsOf(tx, user.id)
  await deleteEventData(tx, user.id)
  await deleteArchiveKey(tx, user.id)
  await deleteArchivedIds(tx, user.id)
  await deletePicturesOf(tx, user.id)
  await deleteDeliveriesOf(tx, user.id)
  await deletePushesOf(tx, user.id)
  await deleteExportsOf(tx, user.id)
  await deleteSessions(tx, user)
  await deleteKeysOf(tx, user)
  return first
}

async function findFan(reader: Reader, reference: UserReference): Promise<User | undefined> {
  if ('subject' in reference) return (await findRecords(reader, reference))[0]
  return findFanOf(reader, reference.id)
}

/** For a fan who is named by id: an empty subject matches nothing of the provider, where no subject is empty. */
const callerOf = (reference: UserReference): Subject =>
  'subject' in reference ? reference : { provider: '', subject: '' }
