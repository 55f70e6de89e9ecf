/** Native sessions, refresh tokens, and revoked session tokens. */
import type { ColumnKit } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineAuthTables(kit: ColumnKit) {
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
      /** `iat` of the exchanged session token: a later logout on all devices ends the session, in any order of commits. */
      originIssuedAt: timestamp().notNull(),
      /** That token, encrypted, until it expires: onboarding uses it to call the provider. */
      encryptedToken: text(),
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

  /** Refresh tokens, stored only as SHA-256. Used tokens stay, to detect reuse. */
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

  return { nativeSessions, refreshTokens, revokedTokens }
}

export const fanData = {
  nativeSessions: { subject: { export: 'sessions', erasure: 'delete', merge: { rule: 'ended' } } },
} satisfies FanData<ReturnType<typeof defineAuthTables>>
