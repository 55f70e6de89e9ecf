/** Makes up for syncs that the provider's outage put off: rows in the database, so a restart loses none. */

import { and, asc, eq, lte } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Database, Tables, Transaction } from '../../db/index.ts'
import { DomainError } from '../core/problems.ts'
import type { AppSources } from '../core/sources.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'
import { dequeueSync, mirrorIdentity } from './mirror.ts'
import type { TokenEncryption } from './token-encryption.ts'

/** Milliseconds before the first attempt; each next one waits twice as long, up to the longest. */
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 600_000
/** Before the token expires, the last attempt is made. */
const LAST_CHANCE_MS = 15_000
/** Attempts of one run; what is left is taken by the next, or by another instance. */
const RUN_SIZE = 20

type Row = Tables['deferredSyncs']['$inferSelect']
export interface SyncDeps {
  db: Database
  identity: IdentityProvider
  tokenEncryption: TokenEncryption
  log: Logger
  now: AppSources['now']
}

/** A session token to sync with later, encrypted. */
export type QueuedSync = Pick<Row, 'sealedToken' | 'tokenExpiresAt'> & {
  /** Seconds that the provider asks to wait. */
  retryAfter?: number
}

export async function enqueueSync(
  tx: Transaction,
  userId: string,
  { retryAfter = 0, ...queuedSync }: QueuedSync,
): Promise<void> {
  const nextAttemptAt = new Date(tx.now().getTime() + Math.max(FIRST_WAIT_MS, retryAfter * 1000))
  await tx
    .insert(tx.tables.deferredSyncs)
    .values({ userId, ...queuedSync, attempts: 0, nextAttemptAt })
    .onConflictDoUpdate({ target: tx.tables.deferredSyncs.userId, set: queuedSync })
}

/** Tries what is due. Answers how many syncs were made up. Any number of instances may run it at once. */
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

/** True when it was made up. Whoever leases the row first gets to try. */
export async function retrySync(deps: SyncDeps, row: Row): Promise<boolean> {
  const { db, identity, tokenEncryption, log, now } = deps
  const leased = await db.write(tx => lease(tx, row))
  if (!leased) return false
  const { users } = db.tables
  const [user] = await db.read.select().from(users).where(eq(users.id, row.userId))
  const expired = row.tokenExpiresAt <= now()
  const token = user && !expired ? tokenEncryption.decrypt(row.sealedToken, user.subject) : null
  if (!user || token === null) {
    // The fan's next sync or the provider's next webhook fills the mirror.
    const reason = expired ? 'its token has expired' : 'its token cannot be opened'
    log.warn({ userId: row.userId }, `deferred sync given up: ${reason}`)
    await db.write(tx => dequeueSync(tx, row.userId))
    return false
  }
  try {
    const { claims } = await identity.readUserData(token, user.subject)
    // Takes the row away as well.
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

/** Not before the provider's Retry-After is over, in no instance. */
async function postpone(tx: Transaction, { userId, nextAttemptAt }: Row, retryAfter: number): Promise<void> {
  const { deferredSyncs } = tx.tables
  const earliest = new Date(tx.now().getTime() + retryAfter * 1000)
  if (earliest <= nextAttemptAt) return
  await tx
    .update(deferredSyncs)
    .set({ nextAttemptAt: earliest })
    .where(and(eq(deferredSyncs.userId, userId), eq(deferredSyncs.nextAttemptAt, nextAttemptAt)))
}

/** Of any number of instances that saw the row, one gets to try; a crash after this costs one wait. */
async function lease(tx: Transaction, row: Row): Promise<Row | undefined> {
  const { deferredSyncs } = tx.tables
  const [leased] = await tx
    .update(deferredSyncs)
    .set({ attempts: row.attempts + 1, nextAttemptAt: nextAttempt(row, tx.now()) })
    .where(and(eq(deferredSyncs.userId, row.userId), eq(deferredSyncs.nextAttemptAt, row.nextAttemptAt)))
    .returning()
  return leased
}

/** Twice the wait before, but one attempt more while the token still holds: after that nobody can ask. */
function nextAttempt({ attempts, tokenExpiresAt }: Row, now: Date): Date {
  const next = now.getTime() + Math.min(FIRST_WAIT_MS * 2 ** (attempts + 1), LONGEST_WAIT_MS)
  const last = tokenExpiresAt.getTime() - LAST_CHANCE_MS
  return new Date(now.getTime() < last ? Math.min(next, last) : next)
}
