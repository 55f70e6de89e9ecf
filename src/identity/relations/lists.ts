/** Pages of the fans that a fan follows, mutes or blocks, and of the fan's followers, newest first. */
import { and, desc, eq, isNotNull, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page, type TimedPosition } from '../../core/pagination.ts'
import { publicFans } from '../users/public-profile.ts'
import { isHiddenByModerators, isShown } from './visibility.ts'

export type List = 'following' | 'followers' | 'mutes' | 'blocks'

/** A change of a listed fan does not change the order. @throws DomainError `invalid_cursor` */
export async function listFans(reader: Reader, cursors: Cursors, list: List, { userId }: Viewer, page: Page) {
  const name = `${list} ${userId}`
  const before = cursors.decodeTimed(name, page.cursor)
  const rows = await selectList[list](reader, userId, page.limit + 1, before)
  const { shown, nextCursor } = cutPage(rows, page.limit, ({ since, listedId }) =>
    cursors.encodeTimed(name, { at: since ?? reader.now(), id: listedId }),
  )
  return {
    fans: shown.map(({ handle, displayName, avatarUrl, since, isShown }) => ({
      handle,
      displayName: isShown ? displayName : null,
      avatarUrl: isShown ? avatarUrl : null,
      since: (since ?? reader.now()).toISOString(),
    })),
    nextCursor,
  }
}

/** With the number of all that the fan follows. */
export async function listFollowing(reader: Reader, cursors: Cursors, viewer: Viewer, page: Page) {
  const listed = await listFans(reader, cursors, 'following', viewer, page)
  const count = await selectCount(reader, viewer.userId)
  return { ...listed, total: count?.following ?? 0 }
}

const selectCount = preparedRow((reader: Reader, userId: string) => {
  const { followCounts: counts } = reader.tables
  return reader.select({ following: counts.following }).from(counts).where(eq(counts.userId, userId))
})

const COLUMNS = {
  following: { of: 'fanId', listed: 'otherId', since: 'followedAt' },
  followers: { of: 'otherId', listed: 'fanId', since: 'followedAt' },
  mutes: { of: 'fanId', listed: 'otherId', since: 'mutedAt' },
  blocks: { of: 'fanId', listed: 'otherId', since: 'blockedAt' },
} as const

/** A mute of a fan who is blocked is hidden; a list of blocks shows the handle alone, by which the block can be ended. */
const selectOf = (list: List) =>
  prepared((reader: Reader, userId: string, limit: number, before?: TimedPosition) => {
    const { fanRelations: relations } = reader.tables
    const { of, listed, since: sinceColumn } = COLUMNS[list]
    const [since, listedId] = [relations[sinceColumn], relations[listed]]
    const fan = publicFans(reader).as('fan')
    const older =
      before === undefined ? undefined : sql`(${since}, ${listedId}) < (${before.at}, ${before.id})`
    const shown =
      list === 'blocks'
        ? sql<boolean>`false`.mapWith(Boolean)
        : isShown(reader, 'profile', userId, fan.userId)
    // The handle itself may be the reason for hiding a fan.
    const notHidden = list === 'blocks' ? undefined : sql`not ${isHiddenByModerators(reader, listedId)}`
    const unblocked =
      list === 'mutes' ? sql`${relations.blockedAt} is null and ${relations.blockedByAt} is null` : undefined
    return reader
      .select({
        since,
        listedId,
        handle: fan.handle,
        displayName: fan.displayName,
        avatarUrl: fan.avatarUrl,
        isShown: shown.as('is_shown'),
      })
      .from(relations)
      .innerJoin(fan, eq(fan.userId, listedId))
      .where(and(eq(relations[of], userId), isNotNull(since), older, unblocked, notHidden))
      .orderBy(desc(since), desc(listedId))
      .limit(limit)
  })

const selectList = {
  following: selectOf('following'),
  followers: selectOf('followers'),
  mutes: selectOf('mutes'),
  blocks: selectOf('blocks'),
}
