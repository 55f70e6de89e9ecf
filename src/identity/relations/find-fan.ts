/** Finds the fan that a request names by handle. */
import { sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { DomainError, type ProblemType } from '../../core/problems.ts'
import { lockFan, lockHandle } from '../users/locks.ts'
import { userProblems } from '../users/problems.ts'
import { publicFans } from '../users/public-profile.ts'
import { relationProblems } from './problems.ts'
import { follows, isShown, isVisible, leaderboardNameOf, mutes } from './visibility.ts'

/** The same for a handle that nobody has and for a fan who is hidden by a block. */
export const fanNotFound = () => new DomainError(userProblems.fan_not_found)

/**
 * Locks the fan, and reads the relation between the caller and the fan. Null for an unknown handle, after the
 * same statements, so that the response time does not reveal a block.
 * @throws DomainError `ofOneself` for the caller's own handle
 */
export async function lockOther(
  tx: Transaction,
  fanId: string,
  handle: string,
  ofOneself: ProblemType = relationProblems.cannot_follow_yourself,
) {
  const found = await lockHandle(tx, handle)
  if (found?.id === fanId) throw new DomainError(ofOneself)
  const relation = await selectRelation(tx, fanId, found?.id ?? '')
  return found ? { other: found, relation } : null
}

/** As `lockOther`, by the id. Null also for a fan who is erased. */
export async function lockOtherById(tx: Transaction, fanId: string, otherId: string) {
  const other = await lockFan(tx, otherId)
  const relation = await selectRelation(tx, fanId, otherId)
  return other ? { other, relation } : null
}

export type Relation = NonNullable<Awaited<ReturnType<typeof selectRelation>>>

const selectRelation = preparedRow((reader: Reader, fanId: string, otherId: string) => {
  const { fanRelations: relations } = reader.tables
  return reader
    .select()
    .from(relations)
    .where(sql`${relations.fanId} = ${fanId} and ${relations.otherId} = ${otherId}`)
})

export const isHidden = (relation: Relation | undefined) =>
  relation !== undefined && (relation.blockedAt !== null || relation.blockedByAt !== null)

/** As `lockOther`, for a fan that the caller can see. @throws DomainError `fan_not_found` */
export async function lockVisible(tx: Transaction, fanId: string, handle: string) {
  const found = await lockOther(tx, fanId, handle)
  if (!found || found.other.hiddenAt || isHidden(found.relation)) throw fanNotFound()
  return found.other
}

/** As `lockVisible`, also for the caller's own handle. Undefined for a fan that the caller cannot see. */
export async function lockSeen(tx: Transaction, fanId: string, handle: string) {
  const found = await lockHandle(tx, handle)
  const relation = await selectRelation(tx, fanId, found?.id ?? '')
  return found?.id === fanId || (!found?.hiddenAt && !isHidden(relation)) ? found : undefined
}

/** A fan as the viewer sees them. @throws DomainError `fan_not_found` */
export async function readFan(reader: Reader, viewerId: string, handle: string) {
  const [fan] = await selectFan(reader, viewerId, handle)
  if (!fan) throw fanNotFound()
  return fan
}

const selectFan = prepared((reader: Reader, viewerId: string, handle: string) => {
  const fan = publicFans(reader).as('fan')
  return reader
    .select({
      userId: fan.userId,
      handle: fan.handle,
      displayName: fan.displayName,
      avatarUrl: fan.avatarUrl,
      favoriteTeamId: fan.favoriteTeamId,
      leaderboardName: leaderboardNameOf(reader, fan.userId),
      isShown: isShown(reader, 'profile', viewerId, fan.userId),
      following: follows(reader, viewerId, fan.userId),
      followsYou: follows(reader, fan.userId, viewerId),
      muted: mutes(reader, viewerId, fan.userId),
    })
    .from(fan)
    .where(sql`${fan.handle} = ${handle} and ${isVisible(reader, viewerId, fan.userId)}`)
})
