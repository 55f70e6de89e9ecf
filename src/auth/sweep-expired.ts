import { and, inArray, isNotNull, lt } from 'drizzle-orm'
import type { Database, Transaction } from '../../db/index.ts'

/**
 * Rows go a day after they expired: until then the reuse of a spent refresh token is recognised, and a revocation
 * outlasts the leeway that an expired session token gets, on clocks that differ.
 */
const GRACE_MS = 86_400_000
/** Rows of one unit of work, so that no writer waits long. */
const BATCH = 200

/** Takes away refresh tokens, sessions and revocations that can matter no more. Answers how many rows went. */
export async function sweepExpired(db: Database): Promise<number> {
  let swept = 0
  for (const sweep of [sweepRefreshTokens, sweepSessions, sweepRevokedTokens, forgetSealedTokens]) {
    let gone: number
    do {
      gone = await db.write(sweep)
      swept += gone
    } while (gone === BATCH)
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

/** No refresh token outlives its session, so none refers to these any more. */
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

/** A sealed session token is of no use once it has expired. */
async function forgetSealedTokens(tx: Transaction): Promise<number> {
  const { nativeSessions } = tx.tables
  const expired = tx
    .select({ id: nativeSessions.id })
    .from(nativeSessions)
    .where(and(isNotNull(nativeSessions.sealedToken), lt(nativeSessions.tokenExpiresAt, tx.now())))
    .limit(BATCH)
  const forgotten = await tx
    .update(nativeSessions)
    .set({ sealedToken: null })
    .where(inArray(nativeSessions.id, expired))
    .returning()
  return forgotten.length
}
