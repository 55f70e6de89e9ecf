/** Predictions after a merge: a fan has one for each match. */
import { and, eq, isNull, notInArray } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'

/**
 * Moves open predictions, or deletes them where the other fan has predicted the match. Settled ones stay with the merged
 * record, whose ledger has their points. Returns the number of moved predictions.
 */
export async function movePredictions(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { predictions } = tx.tables
  const isOpen = and(eq(predictions.userId, fromId), isNull(predictions.settledBy), eq(predictions.booked, 0))
  const own = await tx
    .select({ matchId: predictions.matchId })
    .from(predictions)
    .where(eq(predictions.userId, intoId))
  const taken = own.map(({ matchId }) => matchId)
  const moved = await tx
    .update(predictions)
    .set({ userId: intoId })
    .where(and(isOpen, taken.length === 0 ? undefined : notInArray(predictions.matchId, taken)))
    .returning({ matchId: predictions.matchId })
  await tx.delete(predictions).where(isOpen)
  return moved.length
}
