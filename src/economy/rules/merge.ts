/** The limits of rules after a merge: what both fans were granted counts for the fan that remains. */
import { eq } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'

/** Both accounts are locked. The uses of the merged record stay, too. Returns the number of windows. */
export async function addRuleUses(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { ruleUses } = tx.tables
  const uses = await tx.select().from(ruleUses).where(eq(ruleUses.userId, fromId))
  const rows = uses.map(use => ({ ...use, userId: intoId }))
  await insertRows(tx, ruleUses, rows, { add: 'uses' })
  return rows.length
}
