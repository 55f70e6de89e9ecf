/** The top-up as a kind of purchase: it has no stock, and delivers cash. */
import { and, eq } from 'drizzle-orm'
import type { Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import type { Reader } from '../../../db/types.ts'
import { DomainError } from '../../core/problems.ts'
import { lockSettledCash } from '../../economy/cash/holds.ts'
import { lockCash } from '../../economy/cash/ledger.ts'
import { sumPromotions } from '../../economy/cash/promotions.ts'
import { lockFan } from '../../identity/users/locks.ts'
import type { Locked, PurchaseKind } from '../purchases/kind.ts'
import { purchaseProblems } from '../purchases/problems.ts'
import type { Purchase } from '../purchases/purchase.ts'
import { isSpent, type Spending, sumOf } from '../purchases/spent.ts'
import { presentTopUp } from './present.ts'
import { topUpProblems } from './problems.ts'

export type TopUpRow = Tables['topUps']['$inferSelect']

export const topUpKind: PurchaseKind<TopUpRow, Locked, ReturnType<typeof presentTopUp>> = {
  name: 'top_up',
  noun: 'top-up',
  completedAs: 'completed',
  reasons: null,
  completion: null,
  inStores: false,
  problems: {
    notFound: topUpProblems.top_up_not_found,
    expired: topUpProblems.top_up_expired,
    notPending: topUpProblems.top_up_expired,
  },

  find: (reader, id) => findTopUp(reader, id),
  async update(tx, { id }, status, changes) {
    const [row] = await updateTopUp(tx, id, status, changes)
    return row
  },
  sumSpent: async (reader, spending) => (await sumSpent(reader, spending))?.amount ?? 0,
  async listRefundsDue(reader) {
    const { topUps } = reader.tables
    return reader.select().from(topUps).where(eq(topUps.status, 'refund_due')).orderBy(topUps.id)
  },

  /** Locks the row itself, since there is no stock. */
  async lock(tx, { id }) {
    const { topUps } = tx.tables
    await locksForUpdate(tx, tx.select({ id: topUps.id }).from(topUps).where(eq(topUps.id, id)))
    return { now: tx.clock() }
  },
  /** Cash cannot be delivered to an erased fan. */
  findBlocker: async (tx, { userId }) =>
    (await lockFan(tx, userId)) ? null : new DomainError(topUpProblems.top_up_expired),

  async deliver(tx, topUp) {
    const ledger = await lockCash(tx, keyOf(topUp))
    await ledger.append({ delta: topUp.priceAmount, reason: 'top_up', ref: topUp.id })
    return presentTopUp(topUp, tx.now())
  },
  readResult: async (tx, topUp) => presentTopUp(topUp, tx.now()),
  async release() {},
  async recordRefundDue() {},

  /** Cash that the fan has spent cannot be paid out, and promotional cash never can. Nothing returns to a stock. */
  async takeBack(tx, topUp) {
    const { id, status, priceAmount } = topUp
    // For a due refund, nothing was credited, or it was taken back when the refund became due.
    if (status !== 'completed') return false
    const { ledger, promotions } = await lockSettledCash(tx, keyOf(topUp))
    const left = ledger.available() - sumPromotions(promotions)
    if (left < priceAmount)
      throw new DomainError(purchaseProblems.not_refundable, {
        detail: `The fan has spent or holds a part: ${Math.max(left, 0)} ${topUp.priceCurrency} are left.`,
      })
    await ledger.append({ delta: -priceAmount, reason: 'top_up_refund', ref: id })
    return false
  },
  async recordRefund() {},
  readGoods: async () => ({
    members: {},
    supplyReturned: false,
    consequences: [{ item: 'cash', consequence: 'taken from the balance of the fan, if all of it is left' }],
  }),
  describeReturn: () => 'the cash was taken from the balance of the fan',
}

const keyOf = ({ userId, priceCurrency: currency }: TopUpRow) => ({ userId, currency })

const findTopUp = preparedRow((reader: Reader, id: string) => {
  const { topUps } = reader.tables
  return reader.select().from(topUps).where(eq(topUps.id, id))
})

const updateTopUp = prepared((tx: Transaction, id: string, status: string, changes: Partial<Purchase>) => {
  const { topUps } = tx.tables
  return tx
    .update(topUps)
    .set(changes)
    .where(and(eq(topUps.id, id), eq(topUps.status, status)))
    .returning()
})

const sumSpent = preparedRow((reader: Reader, spending: Spending) => {
  const { topUps } = reader.tables
  return reader
    .select({ amount: sumOf(topUps.priceAmount) })
    .from(topUps)
    .where(isSpent(topUps, spending))
})
