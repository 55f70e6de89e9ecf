/** What fans are to each other: follows, blocks, mutes, and what each fan shows to others. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

/** How many fans one fan can follow. */
export const MAX_FOLLOWED = 1_000

export function defineRelationsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, idOf, integer, text, timestamp } = kit

  /**
   * What a fan is to another one. A block is in both rows of a pair, so that the constraint of either row excludes a follow
   * together with a block in either direction: the row of the blocked fan has `blockedByAt`. A row without any time is deleted.
   */
  const fanRelations = table(
    'fan_relations',
    {
      fanId: idOf(users),
      otherId: idOf(users),
      followedAt: timestamp(),
      mutedAt: timestamp(),
      blockedAt: timestamp(),
      /** When the other one blocked the fan. */
      blockedByAt: timestamp(),
    },
    t => [
      kit.primaryKey({ name: 'fan_relations_pk', columns: [t.fanId, t.otherId] }),
      kit
        .index('fan_relations_followed')
        .on(t.fanId, t.followedAt, t.otherId)
        .where(sql`${t.followedAt} is not null`),
      kit
        .index('fan_relations_followers')
        .on(t.otherId, t.followedAt, t.fanId)
        .where(sql`${t.followedAt} is not null`),
      kit
        .index('fan_relations_blocked')
        .on(t.fanId, t.blockedAt, t.otherId)
        .where(sql`${t.blockedAt} is not null`),
      kit.index('fan_relations_muted').on(t.fanId, t.mutedAt, t.otherId).where(sql`${t.mutedAt} is not null`),
      kit.index('fan_relations_other').on(t.otherId),
      kit.check('fan_relations_of_two_fans', sql`${t.fanId} <> ${t.otherId}`),
      kit.check(
        'fan_relations_block_or_follow',
        sql`${t.followedAt} is null or (${t.blockedAt} is null and ${t.blockedByAt} is null)`,
      ),
    ],
  )

  /** How many fans a fan follows: the constraint is the limit. */
  const followCounts = table(
    'follow_counts',
    {
      userId: idOf(users).primaryKey(),
      following: integer().notNull(),
    },
    t => [
      kit.check('follow_counts_limit', sql`${t.following} between 0 and ${sql.raw(String(MAX_FOLLOWED))}`),
    ],
  )

  /** What a fan shows to others, once it differs from the default. */
  const privacySettings = table('privacy_settings', {
    userId: idOf(users).primaryKey(),
    /** `public`, `followers` or `private`. */
    profile: text().notNull(),
    activity: text().notNull(),
    /** Null before it is changed: the default. */
    locker: text(),
    /** `name`, `handle` or `anonymous`. */
    leaderboardName: text().notNull(),
  })

  return { fanRelations, followCounts, privacySettings }
}

const RELATIONS =
  'those of both fans to others are united, a block before a follow; what the two were to each other ends'

export const fanData = {
  fanRelations: {
    fanId: { export: 'relations', erasure: 'delete', merge: { rule: RELATIONS } },
    // Only those that follow: who blocks or mutes a fan is not theirs to know.
    otherId: { export: 'followers', erasure: 'delete', merge: { rule: RELATIONS } },
  },
  followCounts: {
    // The number of those in `relations`.
    userId: { export: null, erasure: 'delete', merge: { rule: 'counted again' } },
  },
  privacySettings: {
    userId: { export: 'privacy', erasure: 'delete', merge: { moveUnless: [], otherwise: 'delete' } },
  },
} satisfies FanData<ReturnType<typeof defineRelationsTables>>
