/** Users, their mirrored provider data, and onboarding. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineUsersTables(kit: ColumnKit, { teams }: Referenced<'teams'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** One row per fan: their identity at the provider, and their own profile. */
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
      /** Search key for `displayName`: see `nameKeyOf`. A task fills it in rows that an older version wrote. */
      nameKey: id(),
      /**
       * Whether the fan has ever blocked another fan or was blocked. For all other fans, reads skip the check for hidden
       * fans.
       */
      hasBlocks: boolean(),
      /** The result of moderators' decisions: when the fan or their activity was hidden, and the end of a suspension. */
      hiddenAt: timestamp(),
      silencedAt: timestamp(),
      suspendedUntil: timestamp(),
      /** What is known of the age: a band, who has checked it, and when. Never a birth date. */
      ageBand: text(),
      ageSource: text(),
      ageAssuredAt: timestamp(),
      /** Whether a guardian consents. False: a fan who is not an adult cannot write. */
      guardianConsent: boolean(),
      /** When the consent was checked. Null: a version before this column stored it. */
      guardianAssuredAt: timestamp(),
      /** The limits that the fan has set for their own spending, as JSON: `play/purchases/own-limits.ts`. */
      ownLimits: text(),
      /** Time of the last logout on all devices: session tokens that were issued before are refused. */
      sessionsEndedAt: timestamp(),
      /** Time of the erasure: `subject` is then a hash, and the row is final. */
      erasedAt: timestamp(),
      /**
       * The fan who remained after a merge of this record. The record is then only another sign-in of that fan. Never points
       * to a merged record.
       */
      mergedIntoId: id(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.uniqueIndex('users_provider_subject_unique').on(t.provider, t.subject),
      kit.uniqueIndex('users_handle_unique').on(t.handle).where(sql`${t.handle} is not null`),
      kit.index('users_name').on(t.nameKey, t.id).where(sql`${t.nameKey} is not null`),
      kit
        .index('users_name_missing')
        .on(t.id)
        .where(sql`${t.displayName} is not null and ${t.nameKey} is null`),
      kit
        .index('users_country')
        .on(t.country, t.id)
        .where(sql`${t.country} is not null and ${t.erasedAt} is null and ${t.mergedIntoId} is null`),
      // All others are fans: lists and counts leave these out.
      kit.index('users_gone').on(t.id).where(sql`${t.erasedAt} is not null or ${t.mergedIntoId} is not null`),
      kit.index('users_merged').on(t.mergedIntoId).where(sql`${t.mergedIntoId} is not null`),
    ],
  )

  /** The mirrored provider data, separate from `users`, so that a sync never overwrites the fan's own profile. */
  const identities = table(
    'identities',
    {
      userId: idOf(users).primaryKey(),
      email: text(),
      emailVerified: boolean(),
      name: text(),
      picture: text(),
      /** The provider's `updated_at`, and the time of the claims that contained it. They order claims. */
      updatedAt: timestamp(),
      statedAt: timestamp(),
      /** For fields that the latest claims lack, as JSON: field → `[updatedAt, statedAt]` in milliseconds. */
      fieldTimes: text(),
      syncedAt: timestamp(),
      /** Set when the provider deleted the user: a tombstone that no later update undoes. */
      deletedAt: timestamp(),
      /** Keyed hash of a verified address, if fans are found by e-mail. A task fills it. */
      emailHash: id(),
      /** Search keys for `name` and `email`, as in `users`. Staff can also search for addresses that are not verified. */
      nameKey: id(),
      emailKey: id(),
    },
    t => [
      kit.index('identities_email').on(t.emailHash).where(sql`${t.emailHash} is not null`),
      kit
        .index('identities_email_missing')
        .on(t.userId)
        .where(sql`${t.emailVerified} and ${t.email} is not null and ${t.emailHash} is null`),
      kit.index('identities_name').on(t.nameKey, t.userId).where(sql`${t.nameKey} is not null`),
      kit.index('identities_email_key').on(t.emailKey, t.userId).where(sql`${t.emailKey} is not null`),
      kit
        .index('identities_keys_missing')
        .on(t.userId)
        .where(
          sql`(${t.name} is not null and ${t.nameKey} is null) or (${t.email} is not null and ${t.emailKey} is null)`,
        ),
    ],
  )

  /** Syncs queued during an outage of the provider. The row is the job: it survives a restart, and is deleted when done. */
  const deferredSyncs = table(
    'deferred_syncs',
    {
      userId: idOf(users).primaryKey(),
      /** The fan's session token, encrypted: userinfo requires it. */
      encryptedToken: text().notNull(),
      tokenExpiresAt: timestamp().notNull(),
      attempts: integer().notNull(),
      nextAttemptAt: timestamp().notNull(),
    },
    t => [kit.index('deferred_syncs_due').on(t.nextAttemptAt)],
  )

  /** The primary key enforces that onboarding completes once. */
  const onboardings = table('onboardings', {
    userId: idOf(users).primaryKey(),
    completedAt: timestamp().notNull(),
  })

  /** What was known of the age after each change: rows are added and never changed (hand-written migration). */
  const ageChanges = table(
    'age_changes',
    {
      userId: idOf(users),
      /** 1, 2, 3 … for each fan. */
      seq: integer().notNull(),
      ageBand: text(),
      /** Who has checked the band, and when. An erasure clears `source` and `statedBy`: systems could have named the fan. */
      source: text(),
      assuredAt: timestamp().notNull(),
      guardianConsent: boolean(),
      /** Who stated the change. */
      statedBy: text(),
      changedAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'age_changes_pk', columns: [t.userId, t.seq] }),
      kit.check('age_changes_seq_positive', sql`${t.seq} >= 1`),
    ],
  )

  /** The primary key merges a fan once. `users.merged_into_id` has the fan at the end of a chain of merges, this table each link. */
  const fanMerges = table(
    'fan_merges',
    {
      fromId: idOf(users).primaryKey(),
      intoId: idOf(users),
      /** Name of the operator. */
      mergedBy: text().notNull(),
      /** Why. An erasure deletes it. */
      reason: text(),
      mergedAt: timestamp().notNull(),
    },
    t => [kit.index('fan_merges_into').on(t.intoId)],
  )

  return { users, identities, deferredSyncs, onboardings, ageChanges, fanMerges }
}

export const fanData = {
  users: {
    subject: {
      export: 'profile',
      erasure: {
        clear: [
          'displayName',
          'handle',
          'avatarUrl',
          'bio',
          'country',
          'locale',
          'favoriteTeamId',
          'nameKey',
          'ageBand',
          'ageSource',
          'ageAssuredAt',
          'guardianConsent',
          'guardianAssuredAt',
          'ownLimits',
        ],
        replace: ['subject', 'sessionsEndedAt', 'erasedAt', 'updatedAt'],
      },
      merge: {
        rule: 'the profile fills what the other fan has left empty; the stricter of their own limits stays; the subject stays, and leads to the other fan',
      },
    },
  },
  identities: {
    userId: {
      export: 'identity',
      erasure: {
        clear: [
          'email',
          'emailVerified',
          'name',
          'picture',
          'updatedAt',
          'statedAt',
          'fieldTimes',
          'emailHash',
          'nameKey',
          'emailKey',
        ],
        replace: ['syncedAt', 'deletedAt'],
      },
      merge: 'stay',
    },
  },
  deferredSyncs: { userId: { export: 'deferredSync', erasure: 'delete', merge: 'stay' } },
  onboardings: {
    userId: { export: 'onboarding', erasure: 'keep', merge: { moveUnless: [], otherwise: 'stay' } },
  },
  // The consent of a guardian and its revocation are evidence for the club, as the consents of the fan are.
  ageChanges: {
    userId: { export: 'ageChanges', erasure: { clear: ['source', 'statedBy'] }, merge: 'stay' },
  },
  fanMerges: {
    fromId: { export: 'mergedInto', erasure: { clear: ['reason'] }, merge: 'stay' },
    intoId: { export: 'mergedFans', erasure: { clear: ['reason'] }, merge: 'stay' },
  },
} satisfies FanData<ReturnType<typeof defineUsersTables>>
