/** Relations between fans: follows, blocks, mutes, and privacy settings. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

/** Maximum number of fans that a fan can follow. */
export const MAX_FOLLOWED = 1_000

export function defineRelationsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, idOf, integer, text, timestamp } = kit

  /**
   * The relation of a fan to another fan. A block is stored in both rows of the pair, as `blockedByAt` in the row of the
   * blocked fan. So the constraint of each row can exclude a follow together with a block in either direction. A row without
   * any time is deleted.
   */
  const fanRelations = table(
    'fan_relations',
    {
      fanId: idOf(users),
      otherId: idOf(users),
      followedAt: timestamp(),
      mutedAt: timestamp(),
      blockedAt: timestamp(),
      /** The time when the other fan blocked this one. */
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

  /** The number of fans that a fan follows, with a constraint for the limit. */
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

  /** Privacy settings of a fan, if they differ from the default. */
  const privacySettings = table('privacy_settings', {
    userId: idOf(users).primaryKey(),
    /** `public`, `followers` or `private`. */
    profile: text().notNull(),
    activity: text().notNull(),
    /** Null: the default. */
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
    // Only follows: a fan must not learn who blocks or mutes them.
    otherId: { export: 'followers', erasure: 'delete', merge: { rule: RELATIONS } },
  },
  followCounts: {
    // The export contains the follows themselves, as `relations`.
    userId: { export: null, erasure: 'delete', merge: { rule: 'counted again' } },
  },
  privacySettings: {
    userId: { export: 'privacy', erasure: 'delete', merge: { moveUnless: [], otherwise: 'delete' } },
  },
} satisfies FanData<ReturnType<typeof defineRelationsTables>>
