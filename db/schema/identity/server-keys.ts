/** Keys of a club's own systems. */
import type { ColumnKit } from '../columns.ts'

export function defineServerKeysTables(kit: ColumnKit) {
  const { table, id, text, timestamp } = kit

  /** Keys of a club's own systems. A source has several after rotations. The key itself is not stored. */
  const serverKeys = table(
    'server_keys',
    {
      id: id().primaryKey(),
      /** Name of the calling system, kept by a rotation. */
      source: id().notNull(),
      /** The source again, on its newest key; null after a rotation or a revocation. One key per source is current. */
      currentOf: id(),
      /** Separated by spaces (RFC 6749). */
      scopes: text().notNull(),
      /** SHA-256 of the key, in lower-case hex. */
      hash: id().notNull(),
      createdAt: timestamp().notNull(),
      expiresAt: timestamp(),
      revokedAt: timestamp(),
      /** Precise to the hour. */
      lastUsedAt: timestamp(),
    },
    t => [
      kit.uniqueIndex('server_keys_hash_unique').on(t.hash),
      kit.uniqueIndex('server_keys_current_unique').on(t.currentOf),
      kit.index('server_keys_source').on(t.source),
    ],
  )

  return { serverKeys }
}
