/** Exports how often rules with a limit have granted a fan points, and adds what a merged record was granted. */
import { asc, eq } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'

/** How often rules with a limit have granted a fan points, by window. */
export function exportRuleUses(reader: Reader, userId: string) {
  const { ruleUses } = reader.tables
  const { ruleId, window, uses } = ruleUses
  return reader
    .select({ ruleId, window, uses })
    .from(ruleUses)
    .where(eq(ruleUses.userId, userId))
    .orderBy(asc(ruleId), asc(window))
}

/** Both accounts are locked. The uses of the merged record stay, too. Returns the number of windows. */
export async function addRuleUses(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { ruleUses } = tx.tables
  const uses = await tx.select().from(ruleUses).where(eq(ruleUses.userId, fromId))
  const rows = uses.map(use => ({ ...use, userId: intoId }))
  await insertRows(tx, ruleUses, rows, { add: 'uses' })
  return rows.length
}
