/** Credentials: native sessions, refresh tokens, revoked session tokens, and the keys of a club's own systems. */
import type { ColumnKit } from './columns.ts'

export function defineCredentialTables(kit: ColumnKit) {
  const { table, id, idOf, text, integer, timestamp } = kit

  /** A device that is signed in with native tokens: a family of refresh tokens, one generation after another. */
  const nativeSessions = table(
    'native_sessions',
    {
      id: id().primaryKey(),
      /** The owner, as in `users`. */
      provider: id().notNull(),
      subject: id().notNull(),
      deviceName: text(),
      /** `iat` of the exchanged session token: a later logout everywhere ends the session, in any order of commits. */
      originIssuedAt: timestamp().notNull(),
      /** That token, encrypted, until it expires: onboarding uses it to call the provider. */
      sealedToken: text(),
      tokenExpiresAt: timestamp().notNull(),
      /** The current generation of refresh tokens. Each rotation increments it. */
      generation: integer().notNull(),
      rotatedAt: timestamp().notNull(),
      createdAt: timestamp().notNull(),
      expiresAt: timestamp().notNull(),
      revokedAt: timestamp(),
    },
    t => [
      kit.index('native_sessions_owner').on(t.provider, t.subject, t.id),
      kit.index('native_sessions_expiry').on(t.expiresAt),
    ],
  )

  /** Refresh tokens by their SHA-256; the token itself is not stored. Used ones stay, to detect reuse. */
  const refreshTokens = table(
    'refresh_tokens',
    {
      hash: id().primaryKey(),
      sessionId: idOf(nativeSessions),
      generation: integer().notNull(),
      expiresAt: timestamp().notNull(),
    },
    t => [
      kit.index('refresh_tokens_session').on(t.sessionId),
      kit.index('refresh_tokens_expiry').on(t.expiresAt),
    ],
  )

  /** Revoked session tokens, until they expire. `lockSignIn` uses keys of this table as locks, and leaves no row. */
  const revokedTokens = table(
    'revoked_tokens',
    {
      /** SHA-256 of the provider, the subject and the token's `jti`. */
      id: id().primaryKey(),
      expiresAt: timestamp().notNull(),
    },
    t => [kit.index('revoked_tokens_expiry').on(t.expiresAt)],
  )

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
      /** To the hour. */
      lastUsedAt: timestamp(),
    },
    t => [
      kit.uniqueIndex('server_keys_hash_unique').on(t.hash),
      kit.uniqueIndex('server_keys_current_unique').on(t.currentOf),
      kit.index('server_keys_source').on(t.source),
    ],
  )

  return { nativeSessions, refreshTokens, revokedTokens, serverKeys }
}
