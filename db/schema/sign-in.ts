/** Signing in and out: devices, their refresh tokens, tokens that were logged out. */
import type { ColumnKit } from './columns.ts'

export function defineSignInTables(kit: ColumnKit) {
  const { table, id, text, integer, timestamp } = kit

  /** A device signed in with native tokens: a family of refresh tokens, one generation after another. */
  const nativeSessions = table(
    'native_sessions',
    {
      id: id().primaryKey(),
      /** Whose it is, as `users` names them. */
      provider: id().notNull(),
      subject: id().notNull(),
      deviceName: text(),
      /** `iat` of the session token that it was exchanged for: a logout everywhere since then ends it, however they race. */
      originIssuedAt: timestamp().notNull(),
      /** That token, encrypted, until it expires: with it the app's onboarding can ask the provider. */
      sealedToken: text(),
      tokenExpiresAt: timestamp().notNull(),
      /** The generation of refresh tokens that is good now; every rotation makes the next. */
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

  /** Refresh tokens by the SHA-256 of their text, which is kept nowhere. Spent ones stay, to know them again. */
  const refreshTokens = table(
    'refresh_tokens',
    {
      hash: id().primaryKey(),
      sessionId: id()
        .notNull()
        .references(() => nativeSessions.id),
      generation: integer().notNull(),
      expiresAt: timestamp().notNull(),
    },
    t => [
      kit.index('refresh_tokens_session').on(t.sessionId),
      kit.index('refresh_tokens_expiry').on(t.expiresAt),
    ],
  )

  /** Session tokens that were logged out, until they expire. `lockSignIn` locks keys of it, and leaves no row. */
  const revokedTokens = table(
    'revoked_tokens',
    {
      /** SHA-256 over the provider, the subject and the token's `jti`. */
      id: id().primaryKey(),
      expiresAt: timestamp().notNull(),
    },
    t => [kit.index('revoked_tokens_expiry').on(t.expiresAt)],
  )

  return { nativeSessions, refreshTokens, revokedTokens }
}
