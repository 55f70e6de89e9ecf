import { and, inArray, isNotNull, lt } from 'drizzle-orm'
import { deleteInBatches, inBatches } from '../../../db/batches.ts'
import type { Database, Transaction } from '../../../db/index.ts'

/**
 * Rows are deleted a day after they expire. Until then the reuse of a refresh token is detected, and a revocation lasts
 * longer than the clock tolerance for an expired session token.
 */
const GRACE_MS = 86_400_000

/** Deletes expired refresh tokens, sessions, revocations and encrypted session tokens. Returns the number of rows. */
export async function sweepExpired(db: Database): Promise<number> {
  let swept = 0
  const { refreshTokens, nativeSessions, revokedTokens } = db.tables
  // Refresh tokens first: none outlives its session, so none references a session that is deleted.
  for (const table of [refreshTokens, nativeSessions, revokedTokens]) {
    swept += await deleteInBatches(db, table, tx =>
      lt(table.expiresAt, new Date(tx.now().getTime() - GRACE_MS)),
    )
  }
  return swept + (await inBatches(db, clearEncryptedTokens))
}

/** The encrypted session token is of no use once the token has expired. */
async function clearEncryptedTokens(tx: Transaction, size: number): Promise<number> {
  const { nativeSessions } = tx.tables
  const expired = tx
    .select({ id: nativeSessions.id })
    .from(nativeSessions)
    .where(and(isNotNull(nativeSessions.encryptedToken), lt(nativeSessions.tokenExpiresAt, tx.now())))
    .limit(size)
  const cleared = await tx
    .update(nativeSessions)
    .set({ encryptedToken: null })
    .where(inArray(nativeSessions.id, expired))
    .returning()
  return cleared.length
}
