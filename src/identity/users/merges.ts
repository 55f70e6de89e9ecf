/**
 * Fans who were merged. The record of a merged fan is a further sign-in of the fan it was merged into: its subject leads to
 * that fan, and its history stays with it.
 */
import { asc, eq, or } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { User } from './users.ts'

export interface Merge {
  fromId: string
  intoId: string
}

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

/** Marks the record as merged, and those that were merged into it. Both records are locked. */
export async function noteMerge(
  tx: Transaction,
  { fromId, intoId }: Merge,
  by: { mergedBy: string; reason: string | null },
): Promise<void> {
  const { users, fanMerges } = tx.tables
  await tx.insert(fanMerges).values({ fromId, intoId, ...by, mergedAt: tx.now() })
  await tx
    .update(users)
    .set({ mergedIntoId: intoId, updatedAt: tx.now() })
    .where(or(eq(users.id, fromId), eq(users.mergedIntoId, fromId)))
}

/** Who merged a fan into which, and which fans into the fan. */
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

/** For the erasure of a fan: they are in the words of an operator. */
export async function deleteMergeReasons(tx: Transaction, userId: string): Promise<void> {
  const { fanMerges } = tx.tables
  await tx
    .update(fanMerges)
    .set({ reason: null })
    .where(or(eq(fanMerges.fromId, userId), eq(fanMerges.intoId, userId)))
}
