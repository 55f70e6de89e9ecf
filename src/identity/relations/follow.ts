/** Follows, and their number, which is limited. */
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { MAX_FOLLOWED } from '../../../db/schema/identity/relations.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { fanNotFound, lockVisible } from './find-fan.ts'
import { deleteEmpty } from './pair.ts'
import { relationProblems } from './problems.ts'

/** A repeat changes nothing. */
export async function followFan(tx: Transaction, { userId: fanId }: Caller, handle: string): Promise<void> {
  const { id: otherId } = await lockVisible(tx, fanId, handle)
  const [followed] = await insertFollow(tx, fanId, otherId, tx.now())
  if (!followed) {
    // The row exists: the fan follows already, or a block was committed since the fan was found.
    if (await isFollowing(tx, fanId, otherId)) return
    throw fanNotFound()
  }
  const [counted] = await countFollow(tx, fanId)
  if (!counted) throw new DomainError(relationProblems.follow_limit_reached)
}

const insertFollow = prepared((tx: Transaction, fanId: string, otherId: string, followedAt: Date) => {
  const { fanRelations: relations } = tx.tables
  return tx
    .insert(relations)
    .values({ fanId, otherId, followedAt })
    .onConflictDoUpdate({
      target: [relations.fanId, relations.otherId],
      set: { followedAt: sql`excluded.followed_at` },
      setWhere: sql`${relations.followedAt} is null and ${relations.blockedAt} is null and ${relations.blockedByAt} is null`,
    })
    .returning({ fanId: relations.fanId })
})

async function isFollowing(tx: Transaction, fanId: string, otherId: string): Promise<boolean> {
  const { fanRelations: relations } = tx.tables
  const rows = await tx
    .select({ fanId: relations.fanId })
    .from(relations)
    .where(and(eq(relations.fanId, fanId), eq(relations.otherId, otherId), isNotNull(relations.followedAt)))
  return rows.length > 0
}

const countFollow = prepared((tx: Transaction, userId: string) => {
  const { followCounts: counts } = tx.tables
  return tx
    .insert(counts)
    .values({ userId, following: 1 })
    .onConflictDoUpdate({
      target: counts.userId,
      set: { following: sql`${counts.following} + 1` },
      setWhere: sql`${counts.following} < ${sql.raw(String(MAX_FOLLOWED))}`,
    })
    .returning({ following: counts.following })
})

/** A repeat changes nothing. */
export async function unfollowFan(tx: Transaction, { userId: fanId }: Caller, handle: string): Promise<void> {
  const { id: otherId } = await lockVisible(tx, fanId, handle)
  const ended = await endFollow(tx, fanId, otherId)
  if (ended.length === 0) return
  await deleteEmpty(tx, fanId, otherId)
  await countEndedFollows(tx, [fanId])
}

const endFollow = prepared((tx: Transaction, fanId: string, otherId: string) => {
  const { fanRelations: relations } = tx.tables
  return tx
    .update(relations)
    .set({ followedAt: null })
    .where(and(eq(relations.fanId, fanId), eq(relations.otherId, otherId), isNotNull(relations.followedAt)))
    .returning({ fanId: relations.fanId })
})

/** One follow of each of these fans has ended. */
export async function countEndedFollows(tx: Transaction, fanIds: string[]): Promise<void> {
  const { followCounts: counts } = tx.tables
  // One order for all writers prevents deadlocks.
  for (const fanId of fanIds.toSorted())
    await tx
      .update(counts)
      .set({ following: sql`${counts.following} - 1` })
      .where(and(eq(counts.userId, fanId), sql`${counts.following} > 0`))
}

/** Query for the ids of the fans that a fan follows, at most `MAX_FOLLOWED`, in any order. */
export function followedFans(reader: Reader, userId: string) {
  const { fanRelations: relations } = reader.tables
  return reader
    .select({ userId: sql<string>`${relations.otherId}`.as('user_id') })
    .from(relations)
    .where(and(eq(relations.fanId, userId), isNotNull(relations.followedAt)))
}
