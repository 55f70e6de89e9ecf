/** The fans that a fan follows. */
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { publicFans } from '../users/public-profile.ts'
import { isShown, isVisible } from './visibility.ts'

/** Their ids, at most `MAX_FOLLOWED`, in any order. */
export async function listFollowed(reader: Reader, userId: string): Promise<string[]> {
  const rows = await selectFollowed(reader, userId)
  return rows.map(({ otherId }) => otherId)
}

const selectFollowed = prepared((reader: Reader, userId: string) => {
  const { fanRelations: relations } = reader.tables
  return reader
    .select({ otherId: relations.otherId })
    .from(relations)
    .where(and(eq(relations.fanId, userId), isNotNull(relations.followedAt)))
})

/** Query for the fans whose activity a fan is shown: those that the fan follows and has not muted, by their privacy. */
export function fansWithShownActivity(reader: Reader, viewerId: string) {
  const { fanRelations: relations } = reader.tables
  const fan = publicFans(reader).as('fan')
  return reader
    .select({ userId: sql<string>`${fan.userId}`.as('user_id') })
    .from(relations)
    .innerJoin(fan, eq(fan.userId, relations.otherId))
    .where(
      and(
        ...[eq(relations.fanId, viewerId), isNotNull(relations.followedAt), isNull(relations.mutedAt)],
        ...[isVisible(reader, viewerId, fan.userId), isShown(reader, 'activity', viewerId, fan.userId)],
      ),
    )
}
