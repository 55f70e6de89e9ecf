/** Exports and merges the votes of a fan. */
import { and, asc, eq, inArray, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'
import { listMergedIds } from '../../identity/users/merges.ts'
import { uncount } from './boxes.ts'
import { presentVote } from './list.ts'
import { votesTag } from './questions.ts'

/** The votes of a fan, oldest first. */
export async function exportVotes(reader: Reader, userId: string) {
  const { questionVotes: votes } = reader.tables
  const rows = await reader
    .select()
    .from(votes)
    .where(eq(votes.userId, userId))
    .orderBy(asc(votes.createdAt), asc(votes.questionId))
  return rows.map(row => ({ ...presentVote(row, true), createdAt: row.createdAt, counted: row.counted }))
}

/**
 * One vote of both fans counts for each question. A vote that earned nothing moves, or is deleted where the other fan has voted.
 * Others stay with the merged record, whose ledger has their points. Returns the number of moved votes.
 */
export async function mergeVotes(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { questionVotes: votes } = tx.tables
  const merged = await listMergedIds(tx, [fromId, intoId])
  const isOf = (userId: string) =>
    and(inArray(votes.userId, [userId, ...(merged.get(userId) ?? [])]), eq(votes.counted, true))
  const own = await tx.select({ questionId: votes.questionId }).from(votes).where(isOf(intoId))
  const taken = own.map(({ questionId }) => questionId)
  const twice =
    taken.length === 0
      ? []
      : await tx
          .select()
          .from(votes)
          .where(and(isOf(fromId), inArray(votes.questionId, taken)))
  // In one order, which prevents deadlocks.
  for (const vote of twice.toSorted((a, b) => (a.questionId < b.questionId ? -1 : 1))) {
    await uncount(tx, vote)
    await tx
      .update(votes)
      .set({ counted: false })
      .where(and(eq(votes.questionId, vote.questionId), eq(votes.userId, vote.userId)))
    tx.invalidate(votesTag(vote.questionId))
  }
  const isOpen = and(eq(votes.userId, fromId), isNull(votes.settledBy), eq(votes.booked, 0))
  await tx.delete(votes).where(and(isOpen, eq(votes.counted, false)))
  const moved = await tx
    .update(votes)
    .set({ userId: intoId })
    .where(isOpen)
    .returning({ questionId: votes.questionId })
  return moved.length
}
