import { and, inArray, isNotNull, lt } from 'drizzle-orm'
import type { Database, Transaction } from '../../db/index.ts'

/**
 * Rows are deleted a day after they expire. Until then the reuse of a refresh token is detected, and a revocation lasts
 * longer than the clock tolerance for an expired session token.
 */
const GRACE_MS = 86_400_000
/** Rows per unit of work, so that no other writer waits long. */
const BATCH = 200

/** Deletes expired refresh tokens, sessions, revocations and encrypted session tokens. Returns the number of rows. */
export async function sweepExpired(db: Database): Promise<number> {
  let swept = 0
  for (const sweep of [sweepRefreshTokens, sweepSessions, sweepRevokedTokens, clearEncryptedTokens]) {
    let count: number
    do {
      count = await db.write(sweep)
      swept += count
    } while (count === BATCH)
  }
  return swept
}

const before = (tx: Transaction) => new Date(tx.now().getTime() - GRACE_MS)

async function sweepRefreshTokens(tx: Transaction): Promise<number> {
  const { refreshTokens } = tx.tables
  const old = tx
    .select({ hash: refreshTokens.hash })
    .from(refreshTokens)
    .where(lt(refreshTokens.expiresAt, before(tx)))
  return (
    await tx
      .delete(refreshTokens)
      .where(inArray(refreshTokens.hash, old.limit(BATCH)))
      .returning()
  ).length
}

/** No refresh token outlives its session, so no row references these. */
async function sweepSessions(tx: Transaction): Promise<number> {
  const { nativeSessions } = tx.tables
  const old = tx
    .select({ id: nativeSessions.id })
    .from(nativeSessions)
    .where(lt(nativeSessions.expiresAt, before(tx)))
  return (
    await tx
      .delete(nativeSessions)
      .where(inArray(nativeSessions.id, old.limit(BATCH)))
      .returning()
  ).length
}

async function sweepRevokedTokens(tx: Transaction): Promise<number> {
  const { revokedTokens } = tx.tables
  const old = tx
    .select({ id: revokedTokens.id })
    .from(revokedTokens)
    .where(lt(revokedTokens.expiresAt, before(tx)))
  return (
    await tx
      .delete(revokedTokens)
      .where(inArray(revokedTokens.id, old.limit(BATCH)))
      .returning()
  ).length
}

/** The encrypted session token is of no use once the token has expired. */
async function clearEncryptedTokens(tx: Transaction): Promise<number> {
  const { nativeSessions } = tx.tables
  const expired = tx
    .select({ id: nativeSessions.id })
    .from(nativeSessions)
    .where(and(isNotNull(nativeSessions.sealedToken), lt(nativeSessions.tokenExpiresAt, tx.now())))
    .limit(BATCH)
  const cleared = await tx
    .update(nativeSessions)
    .set({ sealedToken: null })
    .where(inArray(nativeSessions.id, expired))
    .returning()
  return cleared.length
}
