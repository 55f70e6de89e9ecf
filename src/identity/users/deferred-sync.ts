/** The queue of syncs that failed during an outage of the provider. It is a table, so a restart loses no sync. */

import { and, asc, eq, lte } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Database, Tables, Transaction } from '../../../db/index.ts'
import type { Encryption } from '../../core/encryption.ts'
import { DomainError } from '../../core/problems.ts'
import type { AppSources } from '../../core/sources.ts'
import type { IdentityProvider } from '../../platform/identity-provider/provider.ts'
import { dequeueSync, mirrorIdentity } from './mirror.ts'

/** Wait before the first attempt. The wait doubles with each attempt, up to `MAX_WAIT_MS`. */
const MIN_WAIT_MS = 5_000
const MAX_WAIT_MS = 600_000
/** The last attempt is made this long before the token expires. */
const LAST_ATTEMPT_MS = 15_000
/** Attempts per run. The next run or another instance continues. */
const RUN_SIZE = 20

type DeferredSync = Tables['deferredSyncs']['$inferSelect']
export interface SyncDeps {
  db: Database
  identity: IdentityProvider
  tokenEncryption: Encryption
  log: Logger
  now: AppSources['now']
}

/** A session token to sync with later, encrypted. */
export type QueuedSync = Pick<DeferredSync, 'encryptedToken' | 'tokenExpiresAt'> & {
  /** The provider's Retry-After, in seconds. */
  retryAfter?: number
}

export async function enqueueSync(
  tx: Transaction,
  userId: string,
  { retryAfter = 0, ...queuedSync }: QueuedSync,
): Promise<void> {
  const nextAttemptAt = new Date(tx.now().getTime() + Math.max(MIN_WAIT_MS, retryAfter * 1000))
  await tx
    .insert(tx.tables.deferredSyncs)
    .values({ userId, ...queuedSync, attempts: 0, nextAttemptAt })
    .onConflictDoUpdate({ target: tx.tables.deferredSyncs.userId, set: queuedSync })
}

/** Retries the syncs that are due. Returns how many succeeded. Several instances may run it at the same time. */
export async function retryDueSyncs(deps: SyncDeps, isStopping = () => false): Promise<number> {
  const { deferredSyncs } = deps.db.tables
  const due = await deps.db.read
    .select()
    .from(deferredSyncs)
    .where(lte(deferredSyncs.nextAttemptAt, deps.now()))
    .orderBy(asc(deferredSyncs.nextAttemptAt))
    .limit(RUN_SIZE)
  let synced = 0
  for (const row of due) {
    if (isStopping()) break
    if (await retrySync(deps, row)) synced++
  }
  return synced
}

/** Retries one sync, if no other instance has leased the row. Returns whether it succeeded. */
export async function retrySync(deps: SyncDeps, row: DeferredSync): Promise<boolean> {
  const { db, identity, tokenEncryption, log, now } = deps
  const leased = await db.write(tx => lease(tx, row))
  if (!leased) return false
  const { users } = db.tables
  const [user] = await db.read.select().from(users).where(eq(users.id, row.userId))
  const expired = row.tokenExpiresAt <= now()
  const token = user && !expired ? tokenEncryption.decrypt(row.encryptedToken, user.subject) : null
  if (!user || token === null) {
    // The next sync of the fan or the next webhook of the provider fills the mirror.
    const reason = expired ? 'its token has expired' : 'its token cannot be decrypted'
    log.warn({ userId: row.userId }, `deferred sync dropped: ${reason}`)
    await db.write(tx => dequeueSync(tx, row.userId))
    return false
  }
  try {
    const { claims } = await identity.readUserData(token, user.subject)
    // Also deletes the row of the queue.
    await db.write(tx => mirrorIdentity(tx, user.id, claims))
    return true
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    if (error.code === 'identity_provider_refused') await db.write(tx => dequeueSync(tx, row.userId))
    const { retryAfter } = error.explanation
    if (retryAfter !== undefined) await db.write(tx => postpone(tx, leased, retryAfter))
    return false
  }
}

/** Postpones the next attempt of all instances until the provider's Retry-After has passed. */
async function postpone(tx: Transaction, leased: DeferredSync, retryAfter: number): Promise<void> {
  const earliest = new Date(tx.now().getTime() + retryAfter * 1000)
  if (earliest > leased.nextAttemptAt) await updateSeen(tx, leased, { nextAttemptAt: earliest })
}

/** Only one of the instances that have read the row gets the lease. A crash after this delays the sync by one wait. */
const lease = (tx: Transaction, row: DeferredSync) =>
  updateSeen(tx, row, { attempts: row.attempts + 1, nextAttemptAt: nextAttempt(row, tx.now()) })

/** Undefined if another instance has changed the row since it was read. */
async function updateSeen(
  tx: Transaction,
  seen: DeferredSync,
  change: Partial<DeferredSync>,
): Promise<DeferredSync | undefined> {
  const { deferredSyncs } = tx.tables
  const { userId, nextAttemptAt } = seen
  const [changed] = await tx
    .update(deferredSyncs)
    .set(change)
    .where(and(eq(deferredSyncs.userId, userId), eq(deferredSyncs.nextAttemptAt, nextAttemptAt)))
    .returning()
  return changed
}

/** Doubles the wait, but schedules a last attempt before the token expires. */
function nextAttempt({ attempts, tokenExpiresAt }: DeferredSync, now: Date): Date {
  const next = now.getTime() + Math.min(MIN_WAIT_MS * 2 ** (attempts + 1), MAX_WAIT_MS)
  const last = tokenExpiresAt.getTime() - LAST_ATTEMPT_MS
  return new Date(now.getTime() < last ? Math.min(next, last) : next)
}
