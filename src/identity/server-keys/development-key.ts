/** The server key of development: the same for everyone, printed by `bun run dev`, refused in production. */
import type { Transaction } from '../../../db/index.ts'
import { hashServerKey, RANDOM_DIGITS, withChecksum } from './key.ts'
import { SERVER_SCOPES } from './scopes.ts'

export const developmentSource = 'development'

/** Readable, so that it is not mistaken for a secret. */
export const developmentKey = withChecksum('DevelopmentKeyRefusedInProduction'.padEnd(RANDOM_DIGITS, '0'))

export const developmentKeyHash = hashServerKey(developmentKey)

/** Stores the key with every scope. Undoes a revocation. */
export async function ensureDevelopmentKey(tx: Transaction): Promise<void> {
  const { serverKeys } = tx.tables
  const valid = {
    scopes: Object.keys(SERVER_SCOPES).sort().join(' '),
    currentOf: developmentSource,
    expiresAt: null,
    revokedAt: null,
  }
  await tx
    .insert(serverKeys)
    .values({
      ...valid,
      id: tx.newId(),
      source: developmentSource,
      hash: developmentKeyHash,
      createdAt: tx.now(),
    })
    .onConflictDoUpdate({ target: serverKeys.hash, set: valid })
}
