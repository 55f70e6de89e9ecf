/** The server key of development: the same for everyone, printed by `bun run dev`, refused in production. */
import { eq } from 'drizzle-orm'
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
  const made = await tx
    .insert(serverKeys)
    .values({
      ...valid,
      id: tx.newId(),
      source: developmentSource,
      hash: developmentKeyHash,
      createdAt: tx.now(),
    })
    // Without a target: of processes that start at the same time, PostgreSQL may refuse one by either of the unique indexes.
    .onConflictDoNothing()
    .returning({ id: serverKeys.id })
  if (made.length === 0) await tx.update(serverKeys).set(valid).where(eq(serverKeys.hash, developmentKeyHash))
}
