/** Exports the cash of a fan, and transfers that of a merged record, including held amounts, with entries in both ledgers. */
import { and, asc, eq, isNotNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import type { Merge } from '../../core/caller.ts'
import { type CashLedger, lockCash } from './ledger.ts'

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

export interface CarriedCash {
  currency: string
  /** Minor units, including held cash. */
  amount: number
}

/** Both records are locked. The holds and promotions of the merged fan move as well. @throws LedgerMismatchError */
export async function carryCash(tx: Transaction, { fromId, intoId }: Merge): Promise<CarriedCash[]> {
  const { cashAccounts: accounts } = tx.tables
  const rows = await tx
    .select({ currency: accounts.currency })
    .from(accounts)
    .where(eq(accounts.userId, fromId))
    .orderBy(asc(accounts.currency))
  const carried: CarriedCash[] = []
  for (const { currency } of rows) {
    const ledgers = new Map<string, CashLedger>()
    // One order for all merges prevents deadlocks.
    for (const userId of [fromId, intoId].toSorted())
      ledgers.set(userId, await lockCash(tx, { userId, currency }))
    const [from, into] = [ledgers.get(fromId), ledgers.get(intoId)]
    if (!from || !into) throw new Error('a locked account of cash does not exist')
    const amount = from.balance()
    if (amount === 0) continue
    const held = amount - from.available()
    await from.append({ delta: -amount, held: -held, reason: 'merged', ref: `${intoId}:${currency}` })
    await into.append({ delta: amount, held, reason: 'merge', ref: `${fromId}:${currency}` })
    carried.push({ currency, amount })
  }
  return carried
}
