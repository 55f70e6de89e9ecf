/** The order as a kind of purchase: its stock is the stock of the variants in its lines. */

import { and, eq, gt, ne, or, sql } from 'drizzle-orm'
import { isUniqueViolation, type Reader, type Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { DomainError } from '../../core/problems.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import { productsTag } from '../../platform/cache/tags.ts'
import type { PurchaseKind } from '../purchases/kind.ts'
import { usedBefore } from '../purchases/means.ts'
import { creditRest } from '../purchases/receipts.ts'
import { isSpent, type Spending, sumOf } from '../purchases/spent.ts'
import { rewardProblems } from '../rewards/problems.ts'
import { deliverLines, findMissingPack, takeBackUnits } from './deliver.ts'
import { parseDelivers } from './delivers.ts'
import { recordOrder } from './events.ts'
import { issueReceipt } from './order-receipts.ts'
import {
  findOrder,
  type LineRow,
  type OrderRow,
  readLines,
  readOrderWhole,
  updateLine,
  updateLines,
  updateOrder,
  type WholeOrder,
} from './order-rows.ts'
import { shopProblems } from './problems.ts'
import { readProducts } from './products.ts'
import { listPartsDue, listWithParts, sumParts, voidDueParts } from './refund-parts.ts'
import {
  changeSold,
  countFree,
  countHeld,
  isLimited,
  type LockedLines,
  lockLimited,
  lockLines,
  nameOfVariant,
} from './stock.ts'
import { giveCreditBack, isUsable, lockVoucher, lockVouchersOf, spendCredit } from './vouchers.ts'

export const orderKind: PurchaseKind<OrderRow, LockedLines, WholeOrder> = {
  name: 'order',
  noun: 'order',
  completedAs: 'paid',
  reasons: { paid: 'order_payment', refunded: 'order_refund' },
  completion: { event: 'order.paid', member: 'orderId' },
  inStores: true,
  problems: {
    notFound: shopProblems.order_not_found,
    expired: shopProblems.order_expired,
    notPending: shopProblems.order_not_pending,
  },

  find: findOrder,
  async update(tx, { id }, status, changes) {
    const [row] = await writeOnce(() => updateOrder(tx, id, status, changes))
    return row
  },
  sumSpent: async (reader, spending) => (await sumSpent(reader, spending))?.amount ?? 0,
  async listRefundsDue(reader) {
    const { orders } = reader.tables
    return reader.select().from(orders).where(eq(orders.status, 'refund_due')).orderBy(orders.createdAt)
  },

  /**
   * Locks the fan, then the vouchers that the order uses and has delivered, then the variants. So units of work on orders of
   * one fan run one after the other. Units that an order holds are reserved for it, so a limited stock is locked only for a
   * late order.
   */
  async lock(tx, { id, userId, voucherCode, completedAt }) {
    await lockToCount(tx, userId)
    if (completedAt) await lockVouchersOf(tx, id, voucherCode)
    else if (voucherCode !== null) await lockVoucher(tx, voucherCode)
    return lockLines(tx, id)
  },
  async findBlocker(tx, order, { bought, ...locked }, late) {
    const lines = bought.map(({ line }) => line)
    // The order's own hold is not subtracted. Another order may hold the units if this one had expired by the clock of
    // another process.
    const limited = late ? await lockLimited(tx, lines) : null
    const now = limited?.now ?? locked.now
    const variants = new Map([...locked.variants, ...(limited?.variants ?? [])])
    // A hold that had ended when this order began stays ended for it, even if the clock went back since.
    const since = new Date(Math.max(now.getTime(), order.createdAt.getTime()))
    const held = await countHeld(
      tx,
      lines.filter(line => isLimited(variants, line)),
      since,
      order.id,
    )
    for (const line of lines) {
      const { productId, variantId, quantity } = line
      const variant = variants.get(nameOfVariant(line))
      const available = variant ? countFree(variant, held) : 0
      if (available < quantity)
        return new DomainError(rewardProblems.out_of_stock, { productId, variantId, available })
    }
    if (late && !(await isWithinLimits(tx, order, lines, now)))
      return new DomainError(shopProblems.order_expired)
    const { voucherCode } = order
    if (voucherCode !== null && !(await isUsable(tx, voucherCode, since, order.id)))
      return new DomainError(shopProblems.voucher_not_accepted, {
        detail: 'The voucher of the order was used or voided meanwhile.',
      })
    const missingPack = await findMissingPack(tx, lines)
    const product = lines.find(
      ({ delivers }) => missingPack && parseDelivers(delivers).packId === missingPack,
    )
    return product ? new DomainError(shopProblems.product_inactive, { productId: product.productId }) : null
  },

  async deliver(tx, order, lock) {
    const sold = { holdUntil: null, isSold: true }
    const { bought, variants } = lock ?? (await lockLines(tx, order.id))
    const lines = bought.map(({ line }) => ({ ...line, ...sold }))
    await spendCredit(tx, order)
    const atOnce = lines.filter(({ kind }) => kind !== 'physical')
    for (const { number } of atOnce) await updateLine(tx, order.id, number, { state: 'delivered' })
    await deliverLines(tx, order, lines)
    await Promise.all([updateLines(tx, order.id, sold), recordOrder(tx, 'order.paid', order, lines)])
    issueReceipt(tx, order, lines, bought)
    changeSold(
      tx,
      lines.map(line => ({ ...line, by: line.quantity })),
      { since: order.createdAt, locked: variants },
    )
    return atOnce.length === 0 ? { order, lines, units: [] } : readOrderWhole(tx, order.id)
  },
  readResult: (tx, { id }) => readOrderWhole(tx, id),

  async release(tx, order) {
    await updateLines(tx, order.id, { holdUntil: null })
    tx.invalidate(productsTag)
    if (order.status === 'cancelled') await recordOrder(tx, 'order.cancelled', order)
  },
  recordRefundDue: (tx, order) => recordOrder(tx, 'order.refund_due', order),
  /** Units that were shipped or used stay sold. */
  async takeBack(tx, order) {
    const sold = (await readLines(tx, order.id)).filter(({ isSold }) => isSold)
    const back: LineRow[] = []
    for (const line of sold) {
      const isBack =
        isUnsent(line) || (line.kind !== 'physical' && (await takeBackUnits(tx, line)) === line.quantity)
      if (!isBack) continue
      // Those who pack an unsent line learn of the refund by the event of the order.
      const state = isUnsent(line) ? line.state : 'returned'
      await updateLine(tx, order.id, line.number, { state, isSold: false })
      back.push(line)
    }
    changeSold(
      tx,
      back.map(line => ({ ...line, by: line.refundedUnits - line.quantity })),
    )
    await giveCreditBack(tx, order)
    return order.completedAt !== null && back.length === sold.length
  },
  voidDueParts: (tx, { id }) => voidDueParts(tx, id),
  sumParts: async (reader, id) => (await sumParts(reader, id))?.amount ?? 0,
  listWithParts,
  listPartsDue: reader => listPartsDue(reader),
  async recordRefund(tx, order) {
    await recordOrder(tx, 'order.refunded', order)
    await creditRest(tx, order.id)
  },
  async readGoods(reader, { id }) {
    const lines = await readLines(reader, id)
    return {
      members: {
        lines: lines.map(({ number, productId, variantId, quantity, kind, state }) => {
          return { number, productId, variantId, quantity, kind, state }
        }),
      },
      consequences: lines.map(line => ({
        item: `line ${line.number}`,
        consequence: `${line.quantity} × ${line.productId} ${line.variantId}, ${consequenceOf(line)}`,
      })),
      supplyReturned: lines.every(line => line.isSold && isUnsent(line)),
    }
  },
  describeReturn: supplyReturned =>
    supplyReturned ? 'all lines were returned to the stock' : 'not all lines were returned to the stock',
}

export const isUnsent = ({ state }: LineRow) => state === 'none' || state === 'ready'

function consequenceOf(line: LineRow): string {
  if (!line.isSold) return line.state === 'returned' ? 'returned before' : 'never delivered'
  if (isUnsent(line)) return 'not shipped: returned to the stock'
  if (line.kind === 'physical') return `${line.state}: stays with the fan until it comes back`
  return 'delivered: what was not used is taken back'
}

/** The unique index recognizes a reference that has paid another order. */
async function writeOnce<T>(write: () => PromiseLike<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueViolation(error, 'orders_payment_unique')) throw error
    throw usedBefore()
  }
}

async function isWithinLimits(tx: Transaction, order: OrderRow, lines: LineRow[], now: Date) {
  const ids = [...new Set(lines.map(({ productId }) => productId))]
  const bought = await countBought(tx, order.userId, ids, now, order.id)
  return (await readProducts(tx, ids)).every(({ id, maxPerFan }) => {
    const own = lines.filter(({ productId }) => productId === id)
    const quantity = own.reduce((sum, line) => sum + line.quantity, 0)
    return maxPerFan === null || (bought.get(id) ?? 0) + quantity <= maxPerFan
  })
}

/**
 * Units by product that the fan has bought or holds, without the units of one order. Requires that `lockToCount` has locked
 * the fan.
 */
export async function countBought(
  reader: Reader,
  userId: string,
  productIds: string[],
  now: Date,
  exceptOrderId = '',
): Promise<Map<string, number>> {
  const rows = await selectBought(reader, userId, toList(productIds), now, exceptOrderId)
  return new Map(rows.map(({ productId, units }) => [productId, units]))
}

const selectBought = prepared(
  (reader: Reader, userId: string, productIds: string, now: Date, exceptOrderId: string) => {
    const { orders, orderLines: lines } = reader.tables
    return reader
      .select({
        productId: lines.productId,
        units: sql`sum(${lines.quantity} - ${lines.refundedUnits})`.mapWith(Number),
      })
      .from(orders)
      .innerJoin(lines, eq(lines.orderId, orders.id))
      .where(
        and(
          eq(orders.userId, userId),
          ne(orders.id, exceptOrderId),
          isListed(reader, lines.productId, productIds),
          or(eq(lines.isSold, true), gt(lines.holdUntil, now)),
        ),
      )
      .groupBy(lines.productId)
  },
)

const sumSpent = preparedRow((reader: Reader, spending: Spending) => {
  const { orders } = reader.tables
  return reader
    .select({ amount: sumOf(sql`${orders.priceAmount} - ${orders.refundedAmount}`) })
    .from(orders)
    .where(isSpent(orders, spending))
})
