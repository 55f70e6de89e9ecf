/** Completed sets after a merge: none is completed again. */
import { eq } from 'drizzle-orm'
import { insertNewRows } from '../../../db/bulk.ts'
import type { Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'

/** Copies completions without their rewards, which are in the ledger of the merged record. Returns the number of copies. */
export async function copyCompletions(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { setCompletions } = tx.tables
  const completed = await tx.select().from(setCompletions).where(eq(setCompletions.userId, fromId))
  const copies = completed.map(row => ({ ...row, userId: intoId, points: 0, rewardId: null }))
  return (await insertNewRows(tx, setCompletions, copies)).length
}
