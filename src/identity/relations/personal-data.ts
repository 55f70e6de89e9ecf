/** Exports and deletes the relations of a fan to others, and moves those of a merged record. */
import { and, asc, desc, eq, inArray, isNotNull, or, sql } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { MAX_FOLLOWED } from '../../../db/schema/identity/relations.ts'
import type { Merge } from '../../core/caller.ts'
import { noteBlock } from '../users/change-user.ts'
import { countEndedFollows } from './follow.ts'
import { deleteEmpty } from './pair.ts'
import { readPrivacy } from './privacy.ts'

/** The follows, mutes and blocks of a fan, their followers, and their privacy. Fans who blocked or muted them are never exported. */
export async function exportRelations(reader: Reader, userId: string) {
  const { fanRelations: relations } = reader.tables
  const { fanId, otherId, followedAt, mutedAt, blockedAt } = relations
  const own = await reader
    .select({ fanId: otherId, followedAt, mutedAt, blockedAt })
    .from(relations)
    .where(and(eq(fanId, userId), or(isNotNull(followedAt), isNotNull(mutedAt), isNotNull(blockedAt))))
    .orderBy(asc(otherId))
  const followers = await reader
    .select({ fanId, followedAt })
    .from(relations)
    .where(and(eq(otherId, userId), isNotNull(followedAt)))
    .orderBy(asc(fanId))
  return { relations: own, followers, privacy: await readPrivacy(reader, { userId }) }
}

/** No follow of the fan begins or ends meanwhile: both fans of a pair are locked first, and this one is being erased. */
export async function deleteRelations(tx: Transaction, userId: string): Promise<void> {
  const { fanRelations: relations, followCounts: counts, privacySettings: settings } = tx.tables
  const followers = tx
    .select({ fanId: relations.fanId })
    .from(relations)
    .where(and(eq(relations.otherId, userId), isNotNull(relations.followedAt)))
  await tx
    .update(counts)
    .set({ following: sql`${counts.following} - 1` })
    .where(and(inArray(counts.userId, followers), sql`${counts.following} > 0`))
  await tx.delete(relations).where(or(eq(relations.fanId, userId), eq(relations.otherId, userId)))
  await tx.delete(counts).where(eq(counts.userId, userId))
  await tx.delete(settings).where(eq(settings.userId, userId))
}

type Relation = Tables['fanRelations']['$inferSelect']
type Times = Pick<Relation, 'followedAt' | 'mutedAt' | 'blockedAt' | 'blockedByAt'>

const NOTHING: Times = { followedAt: null, mutedAt: null, blockedAt: null, blockedByAt: null }

/**
 * A block of either fan applies to the remaining fan, and ends follows. Relations between the two fans end.
 * The oldest follows stay, as many as a fan can have. Both records are locked, and so no relation of either
 * changes meanwhile.
 */
export async function mergeRelations(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { fanRelations: relations, followCounts } = tx.tables
  const isOf = (id: string) => or(eq(relations.fanId, id), eq(relations.otherId, id))
  const rows = await tx
    .select()
    .from(relations)
    .where(or(isOf(fromId), isOf(intoId)))
  const pairs = new Map<string, { own: Times; theirs: Times }>()
  const ended: string[] = []
  for (const row of rows) {
    const isOwn = row.fanId === fromId || row.fanId === intoId
    const otherId = isOwn ? row.otherId : row.fanId
    if (otherId === fromId || otherId === intoId) continue
    const pair = pairs.getOrInsertComputed(otherId, () => ({ own: NOTHING, theirs: NOTHING }))
    if (isOwn) pair.own = united(pair.own, row)
    else {
      // The other fan followed both.
      if (pair.theirs.followedAt && row.followedAt) ended.push(otherId)
      pair.theirs = united(pair.theirs, row)
    }
  }
  const merged: Relation[] = []
  for (const [otherId, { own, theirs }] of pairs) {
    const isBlocked = [own, theirs].some(({ blockedAt, blockedByAt }) => blockedAt ?? blockedByAt)
    if (isBlocked && theirs.followedAt) ended.push(otherId)
    const followed = isBlocked ? { followedAt: null } : {}
    merged.push({ fanId: intoId, otherId, ...own, ...followed })
    merged.push({ fanId: otherId, otherId: intoId, ...theirs, ...followed })
  }
  await tx.delete(relations).where(or(isOf(fromId), isOf(intoId)))
  await insertRows(
    tx,
    relations,
    merged.filter(row => row.followedAt ?? row.mutedAt ?? row.blockedAt ?? row.blockedByAt),
  )
  await countEndedFollows(tx, ended)
  await tx.delete(followCounts).where(or(eq(followCounts.userId, fromId), eq(followCounts.userId, intoId)))
  await tx.insert(followCounts).values({ userId: intoId, following: await limitFollows(tx, intoId) })
  if (merged.some(({ blockedAt, blockedByAt }) => blockedAt ?? blockedByAt)) await noteBlock(tx, intoId)
  return pairs.size
}

const earlier = (a: Date | null, b: Date | null) => (a && b ? (a < b ? a : b) : (a ?? b))

const united = (a: Times, b: Times): Times => ({
  followedAt: earlier(a.followedAt, b.followedAt),
  mutedAt: earlier(a.mutedAt, b.mutedAt),
  blockedAt: earlier(a.blockedAt, b.blockedAt),
  blockedByAt: earlier(a.blockedByAt, b.blockedByAt),
})

/** Ends follows beyond the limit, newest first. Returns how many remain. */
async function limitFollows(tx: Transaction, fanId: string): Promise<number> {
  const { fanRelations: relations } = tx.tables
  const followed = await tx
    .select({ otherId: relations.otherId })
    .from(relations)
    .where(and(eq(relations.fanId, fanId), isNotNull(relations.followedAt)))
    .orderBy(desc(relations.followedAt), asc(relations.otherId))
  const beyond = followed.slice(0, Math.max(0, followed.length - MAX_FOLLOWED))
  for (const { otherId } of beyond) {
    await tx
      .update(relations)
      .set({ followedAt: null })
      .where(and(eq(relations.fanId, fanId), eq(relations.otherId, otherId)))
    await deleteEmpty(tx, fanId, otherId)
  }
  return followed.length - beyond.length
}
