/**
 * Erases a fan's personal data: the profile, the provider's data and subject, devices, pictures, encrypted tokens, redemption codes,
 * notes of grants, stored responses, webhook deliveries, the locker, linked wallets, and what the fan is to other fans. The rest stays under an id that identifies no person: the ledger,
 * whose hashes contain no personal data; ranked entries, since removing one would change other ranks; claims, purchases and packs.
 */
import type { Reader, Transaction } from '../../../db/index.ts'
import { deletePicturesOf } from '../../club/pictures/owned.ts'
import type { Caller, UserReference } from '../../core/caller.ts'
import { deleteDeliveriesOf } from '../../delivery/webhooks/replay.ts'
import { deletePromotionNotes } from '../../economy/cash/export.ts'
import { countEventData, deleteEventData } from '../../economy/events/delete-data.ts'
import { countNotes, deleteNotes } from '../../economy/points/grants.ts'
import { countSessions, deleteSessions } from '../../identity/auth/native-sessions.ts'
import { lockSignIn } from '../../identity/auth/token-validity.ts'
import { deleteRelations } from '../../identity/relations/erase.ts'
import { deleteAppeals } from '../../identity/sanctions/appeals.ts'
import { deleteNotesAbout } from '../../identity/sanctions/decisions.ts'
import { deleteMergeReasons } from '../../identity/users/merges.ts'
import { findMirror, isSyncQueued } from '../../identity/users/mirror.ts'
import { PROFILE_FIELDS } from '../../identity/users/profile-fields.ts'
import { eraseRecord, type Tombstone } from '../../identity/users/tombstone.ts'
import {
  ensureUser,
  erasedSubject,
  findRecords,
  findUserById,
  type User,
} from '../../identity/users/users.ts'
import { deleteKeysOf } from '../../platform/http/idempotency/key-store.ts'
import { deleteLocker } from '../../play/lockers/personal-data.ts'
import { deleteCountsOf } from '../../play/quests/counted.ts'
import { countCodes, voidCodes } from '../../play/rewards/void-codes.ts'
import { eraseOrders } from '../../play/shop/personal-data.ts'
import { voidTradesOf } from '../../play/trades/end.ts'
import { deleteWallets } from '../../play/wallets/link.ts'
import { eraseReports } from '../moderation/erase.ts'

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
  if (user && user.subject !== callerOf(reference).subject) devices += await countSessions(reader, user)
  if (!user) return devices > 0 ? { ...NOTHING, userId: null, erasedAt: null, devices } : null
  const mirror = await findMirror(reader, user.id)
  const mirrored = ['email', 'emailVerified', 'name', 'picture'] as const
  return {
    userId: user.id,
    erasedAt: user.erasedAt?.toISOString() ?? null,
    profile: PROFILE_FIELDS.filter(name => user[name] !== null),
    identity: [
      ...(user.erasedAt ? [] : ['subject']),
      ...mirrored.filter(name => mirror && mirror[name] !== null),
    ],
    devices,
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
 * A repeat erases what an earlier call has left, or what was stored since. Sessions, which cannot be used, and stored responses
 * are stored under the provider's subject: a repeat finds them by it only. Returns what it erased, or null if nothing is
 * stored about the fan.
 * `onErased` is called with the tombstone before the unit of work is committed.
 */
export async function eraseUser(
  tx: Transaction,
  reference: UserReference,
  onErased?: (tombstone: Tombstone) => void,
): Promise<Erasure | null> {
  const fan = 'subject' in reference ? reference : await findFan(tx, reference)
  if (fan) await lockSignIn(tx, fan)
  const plan = await planErasure(tx, reference)
  if (!plan) return null
  // A fan with sessions only: without a tombstone they could sign in again with a token that is still valid.
  const user = (await findFan(tx, reference)) ?? (await ensureUser(tx, callerOf(reference))).user
  const first = await eraseRecord(tx, user)
  await voidCodes(tx, user.id)
  await deleteNotes(tx, user.id)
  await deleteMergeReasons(tx, user.id)
  await deletePromotionNotes(tx, user.id)
  await deleteCountsOf(tx, user.id)
  await deleteRelations(tx, user.id)
  await voidTradesOf(tx, user.id)
  await eraseOrders(tx, user.id)
  await deleteNotesAbout(tx, user.id)
  await deleteAppeals(tx, user.id)
  await eraseReports(tx, user.id)
  await deleteLocker(tx, user.id)
  await deleteWallets(tx, user.id)
  await deleteEventData(tx, user.id)
  await deletePicturesOf(tx, user.id)
  await deleteDeliveriesOf(tx, user.id)
  for (const caller of [user, callerOf(reference)]) {
    await deleteSessions(tx, caller)
    await deleteKeysOf(tx, caller)
  }
  const { provider } = user
  if (first) onErased?.({ provider, subject: erasedSubject(user), erasedAt: tx.now() })
  return { ...plan, userId: user.id }
}

async function findFan(reader: Reader, reference: UserReference): Promise<User | undefined> {
  if ('subject' in reference) return (await findRecords(reader, reference))[0]
  return findUserById(reader, reference.id)
}

/** An id alone matches no subject of the provider: no subject is empty. */
const callerOf = (reference: UserReference): Caller =>
  'subject' in reference ? reference : { provider: '', subject: '' }
