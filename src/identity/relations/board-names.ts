/**
 * What leaderboards show of fans, by their privacy. Blocks between two fans are applied separately: see
 * `listHidden`.
 */
import type { Reader } from '../../../db/index.ts'
import { toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { listedPublicFans } from '../users/public-profile.ts'
import { leaderboardNameOf, listHidden } from './visibility.ts'

export interface BoardName {
  userId: string | null
  handle: string | null
  displayName: string | null
  avatarUrl: string | null
}

export interface NamedFan extends Omit<BoardName, 'userId'> {
  userId: string
  leaderboardName: string
}

/** An entry that nothing connects to its fan. */
export const nameless: BoardName = { userId: null, handle: null, displayName: null, avatarUrl: null }

/** By user id. Erased fans are left out. */
export async function readBoardNames(reader: Reader, userIds: string[]): Promise<Map<string, BoardName>> {
  if (userIds.length === 0) return new Map()
  const rows = await selectNames(reader, toList(userIds))
  return new Map(rows.map(row => [row.userId, boardNameOf(row)]))
}

/** What the viewer sees of fans in a table: nothing if one has blocked the other. */
export async function readNames(reader: Reader, viewerId: string, userIds: string[]) {
  const ids = [...new Set(userIds)]
  const names = await readBoardNames(reader, ids)
  const hidden = await listHidden(reader, viewerId, ids)
  return (userId: string): BoardName => (hidden.has(userId) ? nameless : (names.get(userId) ?? nameless))
}

/** By the fan's privacy. */
export function boardNameOf({
  userId,
  handle,
  displayName,
  avatarUrl,
  leaderboardName,
}: NamedFan): BoardName {
  if (leaderboardName === 'anonymous') return nameless
  return { userId, handle, displayName: leaderboardName === 'handle' ? handle : displayName, avatarUrl }
}

const selectNames = prepared((reader: Reader, userIds: string) => {
  const fan = listedPublicFans(reader, userIds).as('fan')
  const { userId, handle, displayName, avatarUrl } = fan
  return reader
    .select({ userId, handle, displayName, avatarUrl, leaderboardName: leaderboardNameOf(reader, userId) })
    .from(fan)
})
