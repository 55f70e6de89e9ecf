/**
 * Vouchers: each unit has a code, which is used once: at a desk, or to reduce the price of an order. An unused voucher
 * becomes void when its own order is refunded or its fan is erased, even if a use is undone later.
 */

import { and, asc, eq, gt, isNotNull, isNull, ne, notLike, or } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import { DomainError } from '../../core/problems.ts'
import { activeUser } from '../../identity/users/users.ts'
import { rewardProblems } from '../rewards/problems.ts'
import { mintRedemptionCode, normalizeRedemptionCode } from '../rewards/redemption-code.ts'
import { type CodeSource, type CodeUse, presentHolder } from '../rewards/redemptions.ts'
import { parseDelivers } from './delivers.ts'
import type { LineRow, OrderRow } from './order-rows.ts'
import { shopProblems } from './problems.ts'
import { listOf } from './products.ts'

/** 80 random bits. */
const CODE_BYTES = 10

export async function issueVouchers(tx: Transaction, { orderId, number, quantity }: LineRow): Promise<void> {
  const units = Array.from({ length: quantity }, (_, index) => ({
    orderId,
    line: number,
    unit: index + 1,
    code: mintRedemptionCode(tx.randomBytes(CODE_BYTES)),
  }))
  await insertRows(tx, tx.tables.orderUnits, units)
}

/** Voids the unused vouchers of a line. Returns how many are void. */
export async function voidVouchers(tx: Transaction, { orderId, number }: LineRow): Promise<number> {
  const { orderUnits: units } = tx.tables
  const isOfLine = and(eq(units.orderId, orderId), eq(units.line, number))
  await lockVouchersOf(tx, orderId)
  await tx
    .update(units)
    .set({ voidedAt: tx.now() })
    .where(and(isOfLine, isNull(units.usedAt), isNull(units.voidedAt)))
  const voided = await tx
    .select({ unit: units.unit })
    .from(units)
    .where(and(isOfLine, isNotNull(units.voidedAt)))
  return voided.length
}

/** Voids the unused vouchers of an erased fan, who may have shown the codes to others. */
export async function voidVouchersOf(tx: Transaction, orderIds: string[]): Promise<void> {
  const { orderUnits: units } = tx.tables
  for (const orderId of orderIds) {
    await lockVouchersOf(tx, orderId)
    await tx
      .update(units)
      .set({ voidedAt: tx.now() })
      .where(
        and(eq(units.orderId, orderId), isNotNull(units.code), isNull(units.usedAt), isNull(units.voidedAt)),
      )
  }
}

/**
 * Whether a voucher with this canonical code is void. The desk of the staff shows void codes differently from unknown codes.
 */
export async function isVoidedVoucher(reader: Reader, code: string): Promise<boolean> {
  const { orderUnits: units } = reader.tables
  const rows = await reader
    .select({ unit: units.unit })
    .from(units)
    .where(and(eq(units.code, code), isNotNull(units.voidedAt)))
  return rows.length > 0
}

export interface Credit {
  code: string
  /** In the currency of the order. */
  amount: number
}

/**
 * Locks a voucher, and checks that its credit can reduce an order in this currency. No other pending order may use it.
 * @throws DomainError `voucher_not_accepted`
 */
export async function requireCredit(
  tx: Transaction,
  text: string,
  currency: string,
  now: Date,
): Promise<Credit> {
  const code = await lockVoucherByText(tx, text)
  const found = await selectVoucher(tx, code)
  const { credit } = parseDelivers(found?.line.delivers ?? null)
  if (!found || credit === undefined) throw notAccepted('The voucher is for the desk.')
  if (found.currency !== currency) throw notAccepted(`The voucher is in ${found.currency}.`)
  if (!(await isUsable(tx, code, now))) throw notAccepted('The voucher is used, void, or in another order.')
  return { code, amount: credit }
}

/**
 * Called before the variants are locked, in all units of work. Returns the canonical code. @throws DomainError
 * `voucher_not_accepted`
 */
export async function lockVoucherByText(tx: Transaction, text: string): Promise<string> {
  const code = normalizeRedemptionCode(text)
  if (code === null || !(await lockVoucher(tx, code))) throw notAccepted('No voucher has this code.')
  return code
}

const notAccepted = (detail: string) => new DomainError(shopProblems.voucher_not_accepted, { detail })

/** Every unit of work that uses the voucher or adds it to an order locks it first. */
export const lockVoucher = preparedRow((tx: Transaction, code: string) => {
  const { orderUnits: units } = tx.tables
  return locksForUpdate(tx, tx.select().from(units).where(eq(units.code, code)))
})

/**
 * Locks the vouchers that an order has delivered, and the voucher that reduced it, in one order for all units of work.
 * Changes to vouchers read their current state under this lock.
 */
export const lockVouchersOf = (tx: Transaction, orderId: string, code: string | null = null) =>
  selectForUpdate(tx, orderId, code ?? '')

const selectForUpdate = prepared((tx: Transaction, orderId: string, code: string) => {
  const { orderUnits: units } = tx.tables
  const isOwn = and(eq(units.orderId, orderId), isNotNull(units.code))
  const query = tx
    .select({ code: units.code })
    .from(units)
    .where(or(isOwn, eq(units.code, code)))
    .orderBy(asc(units.code))
  return locksForUpdate(tx, query)
})

/** Whether the voucher is neither used nor void, and in no other pending order. Requires that it is locked. */
export async function isUsable(tx: Transaction, code: string, now: Date, orderId = ''): Promise<boolean> {
  const unit = await lockVoucher(tx, code)
  return unit !== undefined && !unit.usedAt && !unit.voidedAt && !(await isReserved(tx, code, now, orderId))
}

/** Whether another pending order uses it. */
async function isReserved(tx: Transaction, code: string, now: Date, orderId = ''): Promise<boolean> {
  const { orders } = tx.tables
  const others = await tx
    .select({ id: orders.id })
    .from(orders)
    .where(
      and(
        eq(orders.voucherCode, code),
        ne(orders.id, orderId),
        eq(orders.status, 'pending'),
        gt(orders.expiresAt, now),
      ),
    )
    .limit(1)
  return others.length > 0
}

const usedByOrder = ({ id }: OrderRow) => `order:${id}`

/** Called when the order is completed, after `isUsable` under the same lock. */
export async function spendCredit(tx: Transaction, order: OrderRow): Promise<void> {
  const { voucherCode: code } = order
  if (code === null) return
  if (!(await use(tx, code, { usedBy: usedByOrder(order), usedAt: tx.now() })))
    throw new Error('a voucher was used while it was locked')
}

/**
 * Called when the order is refunded: the voucher can be used again, unless it became worthless meanwhile. Requires that it
 * is locked.
 */
export async function giveCreditBack(tx: Transaction, order: OrderRow): Promise<void> {
  const { voucherCode: code } = order
  if (code === null) return
  const voidedAt = (await isWorthless(tx, code)) ? tx.now() : null
  const { orderUnits: units } = tx.tables
  await tx
    .update(units)
    .set({ usedAt: null, usedBy: null, voidedAt })
    .where(and(eq(units.code, code), eq(units.usedBy, usedByOrder(order))))
}

/** Whether its own order is no longer paid, or its fan is erased. Requires that the voucher is locked. */
async function isWorthless(tx: Transaction, code: string): Promise<boolean> {
  const voucher = await selectVoucher(tx, code)
  if (voucher?.status !== 'completed') return true
  const [fan] = await activeUser(tx, voucher.userId)
  return !fan
}

/** The vouchers of paid orders, for the desk. */
export const voucherCodes: CodeSource = {
  async find(reader, code) {
    const found = await selectVoucher(reader, code)
    if (!found?.paidAt || found.voidedAt) return undefined
    const { line, product, userId, paidAt, usedAt, usedBy } = found
    const { id, name: title, description } = presentTexts(product)
    const [imageUrl = null] = listOf(product.images)
    return {
      code,
      reward: { id, title, description, imageUrl, itemType: 'voucher' },
      order: { id: line.orderId, productId: line.productId, variantId: line.variantId },
      fan: await presentHolder(reader, userId),
      redeemedAt: paidAt.toISOString(),
      usedAt: usedAt?.toISOString() ?? null,
      usedBy,
    }
  },
  /** @throws DomainError `voucher_reserved` if a pending order uses it */
  async use(tx, code, by) {
    await lockVoucher(tx, code)
    if (await isReserved(tx, code, tx.clock())) throw new DomainError(rewardProblems.voucher_reserved)
    return use(tx, code, by)
  },
  undoUse,
}

const selectVoucher = preparedRow((reader: Reader, code: string) => {
  const { orderUnits: units, orderLines: lines, orders, products } = reader.tables
  const { id, name, description, images, translations } = products
  return reader
    .select({
      line: lines,
      product: { id, name, description, images, translations },
      userId: orders.userId,
      status: orders.status,
      currency: orders.priceCurrency,
      paidAt: orders.completedAt,
      usedAt: units.usedAt,
      usedBy: units.usedBy,
      voidedAt: units.voidedAt,
    })
    .from(units)
    .innerJoin(lines, and(eq(lines.orderId, units.orderId), eq(lines.number, units.line)))
    .innerJoin(orders, eq(orders.id, units.orderId))
    .innerJoin(products, eq(products.id, lines.productId))
    .where(eq(units.code, code))
})

async function use(tx: Transaction, code: string, by: CodeUse): Promise<boolean> {
  return (await markUsed(tx, code, by)).length > 0
}

const markUsed = prepared((tx: Transaction, code: string, use: CodeUse) => {
  const { orderUnits: units } = tx.tables
  return tx
    .update(units)
    .set(use)
    .where(and(eq(units.code, code), isNull(units.usedAt), isNull(units.voidedAt)))
    .returning({ code: units.code })
})

/** Does not undo the use in an order, which only a refund of the order ends, nor the use of a refunded voucher. */
async function undoUse(tx: Transaction, code: string): Promise<boolean> {
  await lockVoucher(tx, code)
  if (await isWorthless(tx, code)) return false
  const { orderUnits: units } = tx.tables
  const undone = await tx
    .update(units)
    .set({ usedAt: null, usedBy: null })
    .where(and(eq(units.code, code), isNotNull(units.usedAt), notLike(units.usedBy, 'order:%')))
    .returning({ unit: units.unit })
  return undone.length > 0
}
