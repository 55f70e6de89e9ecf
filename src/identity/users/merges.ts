/**
 * Fans who were merged. The record of a merged fan is a further sign-in of the fan it was merged into: its subject leads to
 * that fan, and its history stays with it.
 */
import { and, asc, count, eq, gt, or, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Merge } from '../../core/caller.ts'
import { fanTag, tokenValidityTag } from '../../platform/cache/tags.ts'
import { updateUser } from './change-user.ts'
import { PROFILE_FIELDS, type ProfileChange } from './profile-fields.ts'
import { findUserById, type User } from './users.ts'

/** The records that were merged into a fan, also by way of another one. */
export const listMergedRecords = prepared((reader: Reader, userId: string) => {
  const { users } = reader.tables
  return reader.select().from(users).where(eq(users.mergedIntoId, userId)).orderBy(asc(users.id))
})

/** All sign-ins of a fan: the records that lead to the fan, the fan's own first. */
export const listSignIns = async (reader: Reader, user: User): Promise<User[]> => [
  user,
  ...(await listMergedRecords(reader, user.id)),
]

/**
 * Copies the profile of the merged fan into empty fields of the other fan, and clears it. Returns the copied
 * fields. Both records are locked.
 */
export async function mergeProfile(tx: Transaction, from: User, into: User): Promise<ProfileChange> {
  const { users } = tx.tables
  const taken = PROFILE_FIELDS.filter(name => into[name] === null && from[name] !== null)
  // First, since a handle is of one fan.
  await tx
    .update(users)
    .set({ ...Object.fromEntries(PROFILE_FIELDS.map(name => [name, null])), nameKey: null, hasBlocks: null })
    .where(eq(users.id, from.id))
  const change: ProfileChange = Object.fromEntries(taken.map(name => [name, from[name]]))
  if (taken.length > 0) await updateUser(tx, into.id, change)
  for (const user of [from, into]) {
    tx.invalidate(fanTag(user.id))
    tx.invalidate(tokenValidityTag(user))
  }
  return change
}

/** Marks the record as merged, and those that were merged into it. Both records are locked. */
export async function noteMerge(
  tx: Transaction,
  { fromId, intoId }: Merge,
  by: { mergedBy: string; reason: string | null },
): Promise<void> {
  const { users, fanMerges } = tx.tables
  await tx.insert(fanMerges).values({ fromId, intoId, ...by, mergedAt: tx.now() })
  const signIns = await tx
    .update(users)
    .set({ mergedIntoId: intoId, updatedAt: tx.now() })
    .where(or(eq(users.id, fromId), eq(users.mergedIntoId, fromId)))
    .returning({ provider: users.provider, subject: users.subject })
  for (const signIn of signIns) tx.invalidate(tokenValidityTag(signIn))
}

/** For these fans, if they were merged: the fan into which they were merged directly. */
export const listMerges = prepared((reader: Reader, userIds: string) => {
  const { fanMerges } = reader.tables
  const { fromId, intoId } = fanMerges
  return reader
    .select({ fromId, intoId })
    .from(fanMerges)
    .where(isListed(reader, fromId, userIds))
})

const listMergesInto = prepared((reader: Reader, userIds: string) => {
  const { fanMerges } = reader.tables
  const { fromId, intoId } = fanMerges
  return reader
    .select({ fromId, intoId })
    .from(fanMerges)
    .where(isListed(reader, intoId, userIds))
})

/** The merges of these fans (`fromId`), or into them (`intoId`), and then those of the fans at the other end, one level after the other. */
async function* walkMerges(reader: Reader, userIds: string[], by: keyof Merge): AsyncGenerator<Merge[]> {
  const [list, other] =
    by === 'fromId' ? ([listMerges, 'intoId'] as const) : ([listMergesInto, 'fromId'] as const)
  for (let ids = userIds; ids.length > 0; ) {
    const merges = await list(reader, toList(ids))
    yield merges
    ids = merges.map(merge => merge[other])
  }
}

/** The merges of these fans, and of the fans into which they were merged. */
export async function followMerges(reader: Reader, userIds: string[]): Promise<Merge[]> {
  return (await Array.fromAsync(walkMerges(reader, userIds, 'fromId'))).flat()
}

/** The fans who were merged into these, directly or through others. Fans without merged records are left out. */
export async function listMergedIds(reader: Reader, userIds: string[]): Promise<Map<string, string[]>> {
  const merged = new Map<string, string[]>()
  let heirs = new Map(userIds.map(userId => [userId, userId]))
  for await (const merges of walkMerges(reader, userIds, 'intoId')) {
    const next = merges.map(({ fromId, intoId }) => [fromId, heirs.get(intoId) ?? intoId] as const)
    for (const [fromId, heir] of next) merged.getOrInsertComputed(heir, () => []).push(fromId)
    heirs = new Map(next)
  }
  return merged
}

/** The merges of a fan, in both directions, with the operators. */
export async function exportMerges(reader: Reader, userId: string) {
  const { fanMerges } = reader.tables
  const { fromId, intoId, reason, mergedAt } = fanMerges
  const [mergedInto = null] = await reader
    .select({ intoId, reason, mergedAt })
    .from(fanMerges)
    .where(eq(fromId, userId))
  const mergedFans = await reader
    .select({ fromId, reason, mergedAt })
    .from(fanMerges)
    .where(eq(intoId, userId))
    .orderBy(asc(mergedAt), asc(fromId))
  return { mergedInto, mergedFans }
}

/** For the erasure of a fan: the reasons are free text of an operator. */
export async function deleteMergeReasons(tx: Transaction, userId: string): Promise<void> {
  const { fanMerges } = tx.tables
  await tx
    .update(fanMerges)
    .set({ reason: null })
    .where(or(eq(fanMerges.fromId, userId), eq(fanMerges.intoId, userId)))
}

/** The record for an id: the fan's own, or that of the fan into which the fan was merged. */
export async function findFanOf(reader: Reader, userId: string): Promise<User | undefined> {
  const user = await findUserById(reader, userId)
  return user?.mergedIntoId ? findUserById(reader, user.mergedIntoId) : user
}

/** Fans who were merged into others or erased since then. `isCounted`: which of them, by an expression for their id. */
export async function countLostFans(reader: Reader, since: Date, isCounted: (userId: SQL) => SQL) {
  const { fanMerges, users } = reader.tables
  const [merged] = await reader
    .select({ fans: count() })
    .from(fanMerges)
    .where(and(gt(fanMerges.mergedAt, since), isCounted(sql`${fanMerges.fromId}`)))
  const [erased] = await reader
    .select({ fans: count() })
    .from(users)
    .where(and(gt(users.erasedAt, since), isCounted(sql`${users.id}`)))
  return { merged: merged?.fans ?? 0, erased: erased?.fans ?? 0 }
}

/** SQL for the records of fans: of the rows of `fans`, with a column `user_id`, each once, and once more for each merged record in `record_id`. */
export const recordsOf = ({ tables: { users } }: Pick<Reader, 'tables'>, fans: SQL): SQL =>
  sql`select fan.*, fan.user_id as record_id from ${fans} fan
    union all select fan.*, record.id from ${fans} fan inner join ${users} record on record.merged_into_id = fan.user_id`
