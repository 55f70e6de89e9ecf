/**
 * Cash that is held for a purchase, then captured or released, at most once: `held → captured → refunded`, or `held → released`.
 * Each change is a conditional update under the lock of the account.
 */
import { and, type Column, eq, lte, notExists, type SQL } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { type CashKey, type CashLedger, lockCash, lockCashAnd } from './ledger.ts'
import { insufficientCash } from './problems.ts'
import {
  openPromotions,
  type Promotion,
  returnPartOfPromotions,
  returnPromotions,
  selectUnspent,
  takePromotions,
} from './promotions.ts'

type CashHold = Tables['cashHolds']['$inferSelect']

type NewHold = Pick<CashHold, 'purchaseId' | 'userId' | 'currency' | 'amount' | 'expiresAt'>

/**
 * Holds cash for a purchase, from promotions first. A repeat changes nothing. False if the hold of the
 * purchase has ended.
 * @throws LedgerMismatchError; DomainError `insufficient_cash`
 */
export async function holdCash(tx: Transaction, hold: NewHold): Promise<boolean> {
  const { userId, currency, amount, purchaseId } = hold
  const { ledger, promotions } = await lockSettledCash(tx, { userId, currency })
  const [inserted] = await insertHold(tx, { ...hold, state: 'held', createdAt: tx.now(), settledAt: null })
  if (!inserted) return (await findHold(tx, purchaseId))?.state === 'held'
  if (ledger.available() < amount) throw insufficientCash(currency, amount, ledger.available())
  await takePromotions(tx, promotions, { purchaseId, amount })
  await ledger.hold(amount)
  return true
}

/** Books the payment of a purchase with what is held for it. False if nothing is held. `key`: of the fan who buys. */
export async function captureHold(tx: Transaction, purchaseId: string, key: CashKey): Promise<boolean> {
  const { ledger, read: hold } = await lockCashAnd(tx, key, () => settle(tx, purchaseId, 'held', 'captured'))
  if (!hold) return false
  await ledger.append({ delta: -hold.amount, held: -hold.amount, reason: 'payment', ref: purchaseId })
  return true
}

/** Ends the hold of a purchase, if there is one. A repeat changes nothing. */
export async function releaseHold(tx: Transaction, purchaseId: string): Promise<void> {
  const hold = await findHold(tx, purchaseId)
  if (hold?.state === 'held') await release(tx, await lockCash(tx, hold), hold)
}

/**
 * Refunds the captured amount, once: `rest`, if parts of it were refunded before. The part that came from a promotion returns to
 * it. False if nothing is captured.
 */
export async function refundHold(tx: Transaction, purchaseId: string, rest?: number): Promise<boolean> {
  const hold = await findHold(tx, purchaseId)
  if (!hold) return false
  const ledger = await lockCash(tx, hold)
  if (!(await settle(tx, purchaseId, 'captured', 'refunded'))) return false
  const delta = rest ?? hold.amount
  if (delta > 0) await ledger.append({ delta, reason: 'refund', ref: purchaseId })
  await returnPromotions(tx, ledger, purchaseId)
  return true
}

/**
 * Refunds a part of the captured amount, once for each `ref`. Cash that the fan has paid is returned first, then what came from
 * promotions. `left`: what stays paid. False if nothing is captured.
 */
export async function refundHeldPart(
  tx: Transaction,
  purchaseId: string,
  { ref, amount, left }: { ref: string; amount: number; left: number },
): Promise<boolean> {
  const hold = await findHold(tx, purchaseId)
  if (hold?.state !== 'captured') return false
  const ledger = await lockCash(tx, hold)
  await ledger.append({ delta: amount, reason: 'refund', ref })
  await returnPartOfPromotions(tx, ledger, purchaseId, { ref, left })
  return true
}

/**
 * Locks the account, and first books expired holds, then expired promotions; only then is the available
 * amount known. `promotions`: those with an unspent rest, the one that ends first before the others. @throws
 * LedgerMismatchError
 */
export async function lockSettledCash(
  tx: Transaction,
  key: CashKey,
): Promise<{ ledger: CashLedger; promotions: Promotion[] }> {
  const { userId, currency } = key
  const {
    ledger,
    read: [expired, unspent],
  } = await lockCashAnd(tx, key, () =>
    Promise.all([selectExpired(tx, userId, currency, tx.clock()), selectUnspent(tx, userId, currency)]),
  )
  for (const hold of expired) await release(tx, ledger, hold)
  // What a hold took from a promotion has returned to it.
  const left = expired.length > 0 ? await selectUnspent(tx, userId, currency) : unspent
  return { ledger, promotions: await openPromotions(tx, ledger, left) }
}

async function release(tx: Transaction, ledger: CashLedger, { purchaseId, amount }: CashHold) {
  if (!(await settle(tx, purchaseId, 'held', 'released'))) return
  await ledger.hold(-amount)
  await returnPromotions(tx, ledger, purchaseId)
}

export const findHold = preparedRow((reader: Reader, purchaseId: string) => {
  const { cashHolds } = reader.tables
  return reader.select().from(cashHolds).where(eq(cashHolds.purchaseId, purchaseId))
})

/** SQL: whether no cash was ever held for a purchase. */
export function isWithoutHold(reader: Reader, purchaseId: Column): SQL {
  const { cashHolds } = reader.tables
  return notExists(
    reader.select({ id: cashHolds.purchaseId }).from(cashHolds).where(eq(cashHolds.purchaseId, purchaseId)),
  )
}

const insertHold = prepared((tx: Transaction, hold: CashHold) => {
  const { cashHolds } = tx.tables
  return tx
    .insert(cashHolds)
    .values(hold)
    .onConflictDoNothing()
    .returning({ purchaseId: cashHolds.purchaseId })
})

const settle = (tx: Transaction, purchaseId: string, from: string, state: string) =>
  updateState(tx, purchaseId, from, { state, settledAt: tx.clock() })

const updateState = preparedRow(
  (tx: Transaction, purchaseId: string, from: string, to: { state: string; settledAt: Date }) => {
    const { cashHolds } = tx.tables
    return tx
      .update(cashHolds)
      .set(to)
      .where(and(eq(cashHolds.purchaseId, purchaseId), eq(cashHolds.state, from)))
      .returning({ amount: cashHolds.amount })
  },
)

const selectExpired = prepared((reader: Reader, userId: string, currency: string, now: Date) => {
  const { cashHolds: holds } = reader.tables
  return reader
    .select()
    .from(holds)
    .where(
      and(
        eq(holds.userId, userId),
        eq(holds.currency, currency),
        eq(holds.state, 'held'),
        lte(holds.expiresAt, now),
      ),
    )
})
