/**
 * Transfers the cash of a merged fan to the other fan, including held amounts, with entries in both ledgers.
 */
import { asc, eq } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'
import { type CashLedger, lockCash } from './ledger.ts'

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
