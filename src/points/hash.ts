/** The hash chain of the ledger. It hashes no personal data, so that a chain stays verifiable after its fan is erased. */
import { hash } from 'node:crypto'

/** The previous hash of a fan's first entry. */
export const GENESIS_HASH = '0'.repeat(64)

export interface HashedFields {
  id: string
  userId: string
  seq: number
  delta: number
  balanceAfter: number
  reason: string
  ref: string
  createdAt: Date
}

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
