/**
 * Erases a fan's personal data: the profile, the provider's data and subject, devices, encrypted tokens, redemption codes and
 * stored responses. The rest stays under an id that identifies no person: the ledger, whose hashes contain no personal data;
 * ranked entries without a public profile, since removing one would change other ranks; claims, purchases and opened packs.
 */
import type { Reader, Transaction } from '../../db/index.ts'
import { countSessions, forgetSessions } from '../auth/native-sessions.ts'
import { lockSignIn } from '../auth/token-validity.ts'
import type { Caller } from '../core/caller.ts'
import { deleteKeysOf } from '../http/idempotency/key-store.ts'
import { countCodes, voidCodes } from '../rewards/void-codes.ts'
import { findMirror, isSyncQueued } from '../users/mirror.ts'
import { eraseRecord, type Tombstone } from '../users/tombstone.ts'
import {
  ensureUser,
  erasedSubject,
  findRecords,
  findUserById,
  OWN_FIELDS,
  type User,
} from '../users/users.ts'

/** A fan by user id, or by provider and subject. */
export type Whom = { id: string } | Caller

export interface Erasure {
  /** Null for a fan without a user record, who only signed in on a device. */
  userId: string | null
  erasedAt: string | null
  /** Names of the members that have a value, never the values. */
  profile: string[]
  identity: string[]
  devices: number
  redemptionCodes: number
  deferredSyncs: number
}

/** What an erasure would delete. Null if nothing is stored about the fan. */
export async function planErasure(reader: Reader, whom: Whom): Promise<Erasure | null> {
  const user = await findWhom(reader, whom)
  let devices = await countSessions(reader, callerOf(whom))
  if (user && user.subject !== callerOf(whom).subject) devices += await countSessions(reader, user)
  if (!user) return devices > 0 ? { ...NOTHING, userId: null, erasedAt: null, devices } : null
  const mirror = await findMirror(reader, user.id)
  const mirrored = ['email', 'emailVerified', 'name', 'picture'] as const
  return {
    userId: user.id,
    erasedAt: user.erasedAt?.toISOString() ?? null,
    profile: OWN_FIELDS.filter(name => user[name] !== null),
    identity: [
      ...(user.erasedAt ? [] : ['subject']),
      ...mirrored.filter(name => mirror && mirror[name] !== null),
    ],
    devices,
    redemptionCodes: user.erasedAt ? 0 : await countCodes(reader, user.id),
    deferredSyncs: (await isSyncQueued(reader, user.id)) ? 1 : 0,
  }
}

const NOTHING = { profile: [], identity: [], redemptionCodes: 0, deferredSyncs: 0 }

/**
 * Erases once. A repeat with the provider's subject deletes data stored under it since: sessions, which cannot be used, and
 * stored responses. Returns what it erased, or null if nothing is stored about the fan.
 * `onErased` is called with the tombstone before the unit of work is committed.
 */
export async function eraseUser(
  tx: Transaction,
  whom: Whom,
  onErased?: (tombstone: Tombstone) => void,
): Promise<Erasure | null> {
  const fan = 'subject' in whom ? whom : await findWhom(tx, whom)
  if (fan) await lockSignIn(tx, fan)
  const plan = await planErasure(tx, whom)
  if (!plan) return null
  // A fan with sessions only: without a tombstone they could sign in again with a token that is still valid.
  const user = (await findWhom(tx, whom)) ?? (await ensureUser(tx, callerOf(whom))).user
  const first = await eraseRecord(tx, user)
  if (first) await voidCodes(tx, user.id)
  for (const caller of [user, callerOf(whom)]) {
    await forgetSessions(tx, caller)
    await deleteKeysOf(tx, caller)
  }
  const { provider } = user
  if (first) onErased?.({ provider, subject: erasedSubject(user), erasedAt: tx.now() })
  return { ...plan, userId: user.id }
}

async function findWhom(reader: Reader, whom: Whom): Promise<User | undefined> {
  if ('subject' in whom) return (await findRecords(reader, whom))[0]
  return findUserById(reader, whom.id)
}

/** An id alone matches no subject of the provider: no subject is empty. */
const callerOf = (whom: Whom): Caller => ('subject' in whom ? whom : { provider: '', subject: '' })
