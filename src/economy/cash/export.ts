/** A fan's cash, for the export and the erasure. */
import { and, asc, eq, isNotNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'

/** Oldest first. */
export async function exportCash(reader: Reader, userId: string) {
  const { cashAccounts, cashEntries, cashHolds, cashHoldPromotions, cashPromotions } = reader.tables
  const { currency, seq } = cashEntries
  const { purchaseId, ref, amount } = cashHoldPromotions
  return {
    accounts: await reader
      .select()
      .from(cashAccounts)
      .where(eq(cashAccounts.userId, userId))
      .orderBy(asc(cashAccounts.currency)),
    holds: await reader
      .select()
      .from(cashHolds)
      .where(eq(cashHolds.userId, userId))
      .orderBy(asc(cashHolds.createdAt), asc(cashHolds.purchaseId)),
    promotions: await reader
      .select()
      .from(cashPromotions)
      .where(eq(cashPromotions.userId, userId))
      .orderBy(asc(cashPromotions.createdAt), asc(cashPromotions.ref)),
    usedPromotions: await reader
      .select({ purchaseId, ref, amount })
      .from(cashHoldPromotions)
      .innerJoin(cashHolds, eq(cashHolds.purchaseId, purchaseId))
      .where(eq(cashHolds.userId, userId))
      .orderBy(asc(purchaseId), asc(ref)),
    entries: eachRow({ currency, seq }, after =>
      reader
        .select()
        .from(cashEntries)
        .where(and(eq(cashEntries.userId, userId), after)),
    ),
  }
}

/** For the erasure of a fan. The ledger stays. */
export async function deletePromotionNotes(tx: Transaction, userId: string): Promise<void> {
  const { cashPromotions } = tx.tables
  await tx
    .update(cashPromotions)
    .set({ note: null })
    .where(and(eq(cashPromotions.userId, userId), isNotNull(cashPromotions.note)))
}
