/** Fans: who they are, what they wrote, what the provider says of them. */
import type { ColumnKit } from './columns.ts'

export type FanTables = ReturnType<typeof defineFansTables>

export function defineFansTables(kit: ColumnKit) {
  const { table, id, text, integer, boolean, timestamp } = kit

  /** Clubs a fan can follow. Catalogue: the id is the importer's slug. */
  const teams = table('teams', {
    id: id().primaryKey(),
    name: text().notNull(),
    shortName: text().notNull(),
    city: text(),
    country: text(),
    primaryColor: text(),
    secondaryColor: text(),
    crestUrl: text(),
    active: boolean().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  /** One row a fan: who they are at the provider, and what they wrote themselves. */
  const users = table(
    'users',
    {
      id: id().primaryKey(),
      provider: id().notNull(),
      subject: id().notNull(),
      displayName: text(),
      handle: id(),
      avatarUrl: text(),
      bio: text(),
      country: text(),
      locale: text(),
      favoriteTeamId: id().references(() => teams.id),
      /** Logged out everywhere at: session tokens issued up to then are refused. */
      sessionsEndedAt: timestamp(),
      /** Erased at their wish: `subject` is a hash since then, and the row takes nothing more. */
      erasedAt: timestamp(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.uniqueIndex('users_provider_subject_unique').on(t.provider, t.subject),
      kit.uniqueIndex('users_handle_unique').on(t.handle),
    ],
  )

  /** The provider's own data, mirrored; kept apart from `users`, so that a sync never overwrites what a fan wrote. */
  const identities = table('identities', {
    userId: id()
      .primaryKey()
      .references(() => users.id),
    email: text(),
    emailVerified: boolean(),
    name: text(),
    picture: text(),
    /** The provider's `updated_at`, and when it said so: the latest statement. Orders statements. */
    updatedAt: timestamp(),
    statedAt: timestamp(),
    /** Of fields that the latest statement left out: JSON, field → `[updatedAt, statedAt]` in milliseconds. */
    fieldTimes: text(),
    syncedAt: timestamp(),
    /** The provider deleted the user: a tombstone that no later update undoes. */
    deletedAt: timestamp(),
  })

  /** A sync that the provider's outage put off. The row is the job: it survives a restart, and goes when it is made up. */
  const deferredSyncs = table(
    'deferred_syncs',
    {
      userId: id()
        .primaryKey()
        .references(() => users.id),
      /** The fan's session token, encrypted: without it userinfo cannot be asked. */
      sealedToken: text().notNull(),
      tokenExpiresAt: timestamp().notNull(),
      attempts: integer().notNull(),
      nextAttemptAt: timestamp().notNull(),
    },
    t => [kit.index('deferred_syncs_due').on(t.nextAttemptAt)],
  )

  /** The primary key is the rule: onboarding completes once. */
  const onboardings = table('onboardings', {
    userId: id()
      .primaryKey()
      .references(() => users.id),
    completedAt: timestamp().notNull(),
  })

  return { teams, users, identities, deferredSyncs, onboardings }
}
