/** Credentials that are accepted once, such as tickets of streams. */
import type { Transaction } from '../../../db/index.ts'
import { hashOf } from './token-validity.ts'

/**
 * Marks a single-use credential as used. False if it was used before: the primary key decides, in any number of processes.
 * The mark is a revocation, which `sweepExpired` deletes.
 */
export async function useOnce(tx: Transaction, id: string, expiresAt: Date): Promise<boolean> {
  const used = await tx
    .insert(tx.tables.revokedTokens)
    .values({ id: hashOf('used', id, '', ''), expiresAt })
    .onConflictDoNothing()
    .returning()
  return used.length > 0
}
