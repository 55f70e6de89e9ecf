/**
 * The only definition of what a fan may see of another fan, as SQL. Every read of other fans applies it.
 */
import { and, type Column, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { DEFAULT_PRIVACY } from './schema.ts'

type Tables = Pick<Reader, 'tables'>

/**
 * SQL: whether neither of the two has blocked the other, and no moderator has hidden the fan. Fans see
 * themselves. Here and below there is a look-up for each fan: for `exists`, PostgreSQL may read all rows of
 * the viewer for each fan, or all fans.
 */
export function isVisible({ tables }: Tables, viewerId: string, fanId: Column): SQL<boolean> {
  const { fanRelations: relations } = tables
  return sql<boolean>`not coalesce((select ${isBlock({ tables })} from ${relations} where ${relations.fanId} = ${viewerId}
    and ${relations.otherId} = ${fanId}), false)
    and (${fanId} = ${viewerId} or not ${isHiddenByModerators({ tables }, fanId)})`.mapWith(Boolean)
}

/** SQL: whether a moderator has muted the fan: what they do is in no feed of others. `fanId` may be a column of `users`: the alias is another. */
function isSilenced({ tables: { users } }: Tables, fanId: Column): SQL {
  return sql`((select judged.silenced_at from ${users} judged where judged.id = ${fanId}) is not null)`
}

/** SQL: whether a moderator has hidden the fan from others. */
export function isHiddenByModerators({ tables: { users } }: Tables, fanId: Column): SQL {
  return sql`((select judged.hidden_at from ${users} judged where judged.id = ${fanId}) is not null)`
}

/** SQL: whether a moderator has hidden the fan, at `time` or later, who is still hidden. */
export function wasHiddenAfter({ tables: { users } }: Tables, fanId: Column, time: Column): SQL {
  return sql`coalesce((select judged.hidden_at from ${users} judged where judged.id = ${fanId}) >= ${time}, false)`
}

function isBlock({ tables: { fanRelations: relations } }: Tables): SQL {
  return sql`(${relations.blockedAt} is not null or ${relations.blockedByAt} is not null)`
}

/** SQL: whether `followerId` follows `fanId`. */
export function follows(
  { tables: { fanRelations: relations } }: Tables,
  followerId: string | Column,
  fanId: string | Column,
): SQL<boolean> {
  return sql<boolean>`exists (select 1 from ${relations} where ${relations.fanId} = ${followerId}
    and ${relations.otherId} = ${fanId} and ${relations.followedAt} is not null)`.mapWith(Boolean)
}

/** SQL: whether the viewer mutes the fan, who never learns it. */
export function mutes(
  { tables: { fanRelations: relations } }: Tables,
  viewerId: string,
  fanId: Column,
): SQL<boolean> {
  return sql<boolean>`exists (select 1 from ${relations} where ${relations.fanId} = ${viewerId}
    and ${relations.otherId} = ${fanId} and ${relations.mutedAt} is not null)`.mapWith(Boolean)
}

/** SQL: whether the fan's privacy shows this to the viewer, who is not blocked. Activity of a muted fan is shown to no other. */
export function isShown(
  reader: Tables,
  aspect: 'profile' | 'activity' | 'locker',
  viewerId: string,
  fanId: Column,
): SQL<boolean> {
  const { privacySettings: settings } = reader.tables
  const setting = sql`coalesce((select ${settings[aspect]} from ${settings} where ${settings.userId} = ${fanId}),
    ${sql.raw(`'${DEFAULT_PRIVACY[aspect]}'`)})`
  const allowed = aspect === 'activity' ? sql`not ${isSilenced(reader, fanId)} and` : sql``
  return sql<boolean>`(${fanId} = ${viewerId} or ${allowed} case ${setting} when 'public' then true
    when 'followers' then ${follows(reader, viewerId, fanId)} else false end)`.mapWith(Boolean)
}

/**
 * Query for the ids of the fans that a fan follows and has not muted. `showsActivity` must be checked for
 * each of them.
 */
export function fansInFeed(reader: Reader, viewerId: string) {
  const { fanRelations: relations } = reader.tables
  return reader
    .select({ userId: sql<string>`${relations.otherId}`.as('user_id') })
    .from(relations)
    .where(and(eq(relations.fanId, viewerId), isNotNull(relations.followedAt), isNull(relations.mutedAt)))
}

/**
 * SQL: whether the fan shows activity to followers, by `isVisible` and `isShown`. A constraint excludes a
 * follow between fans with a block, so only one row of `users` and one of the settings is looked up.
 */
export function showsActivity({ tables: { users, privacySettings: settings } }: Tables, fanId: SQL): SQL {
  return sql`coalesce((select judged.erased_at is null and judged.hidden_at is null and judged.silenced_at is null
    from ${users} judged where judged.id = ${fanId}), false)
    and coalesce((select ${settings.activity} from ${settings} where ${settings.userId} = ${fanId}),
    ${sql.raw(`'${DEFAULT_PRIVACY.activity}'`)}) <> 'private'`
}

/** SQL: `name`, `handle` or `anonymous`, which a hidden fan is. */
export function leaderboardNameOf(reader: Tables, fanId: Column): SQL<string> {
  const { privacySettings: settings } = reader.tables
  return sql<string>`case when ${isHiddenByModerators(reader, fanId)} then 'anonymous' else coalesce((select ${settings.leaderboardName} from ${settings}
    where ${settings.userId} = ${fanId}), ${sql.raw(`'${DEFAULT_PRIVACY.leaderboardName}'`)}) end`
}

/**
 * SQL: whether the viewer may read the name of the fan next to an item or a pack. Blocks are not checked here. A fan who is anonymous
 * on leaderboards is anonymous here too: otherwise the two together would reveal the name.
 */
export const isNamed = (reader: Tables, viewerId: string, fanId: Column): SQL<boolean> =>
  sql<boolean>`(${isShown(reader, 'profile', viewerId, fanId)}
    and (${fanId} = ${viewerId} or ${leaderboardNameOf(reader, fanId)} <> 'anonymous'))`.mapWith(Boolean)

/** Which of these fans the viewer may not see. */
export async function listHidden(reader: Reader, viewerId: string, fanIds: string[]): Promise<Set<string>> {
  if (fanIds.length === 0) return new Set()
  const rows = await selectHidden(reader, viewerId, toList(fanIds))
  return new Set(rows.map(({ otherId }) => otherId))
}

const selectHidden = prepared((reader: Reader, viewerId: string, fanIds: string) => {
  const { fanRelations: relations } = reader.tables
  return reader
    .select({ otherId: relations.otherId })
    .from(relations)
    .where(
      sql`${relations.fanId} = ${viewerId} and ${isListed(reader, relations.otherId, fanIds)} and ${isBlock(reader)}`,
    )
})

/** Whether one of the two has blocked the other, or the fan has muted the sender. */
export const refusesMessagesFrom = async (reader: Reader, fanId: string, senderId: string) =>
  (await selectRefusal(reader, fanId, senderId)).length > 0

const selectRefusal = prepared((reader: Reader, fanId: string, senderId: string) => {
  const { fanRelations: relations } = reader.tables
  return reader
    .select({ fanId: relations.fanId })
    .from(relations)
    .where(
      and(
        eq(relations.fanId, fanId),
        eq(relations.otherId, senderId),
        sql`(${isBlock(reader)} or ${relations.mutedAt} is not null)`,
      ),
    )
})
