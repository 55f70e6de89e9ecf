/** The hash chain of the ledger. It hashes no personal data, so that a chain stays verifiable after its fan is erased. */
import { hash } from 'node:crypto'
import type { Tables } from '../../../db/index.ts'

/** The previous hash of a fan's first entry. */
export const GENESIS_HASH = '0'.repeat(64)

type HashedFields = Omit<Tables['pointsEntries']['$inferSelect'], 'hash'>

/**
 * SHA-256, in lower-case hex, over the JSON array
 * `[previousHash, id, userId, seq, delta, balanceAfter, reason, ref, createdAt]`, without white space, in UTF-8;
 * `createdAt` is ISO 8601 in UTC with milliseconds.
 */
export function hashEntry(previousHash: string, entry: HashedFields): string {
  const { id, userId, seq, delta, balanceAfter, reason, ref, createdAt } = entry
  const hashed = [previousHash, id, userId, seq, delta, balanceAfter, reason, ref, createdAt.toISOString()]
  return hash('sha256', JSON.stringify(hashed), 'hex')
}
