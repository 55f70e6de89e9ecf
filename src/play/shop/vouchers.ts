/**
 * Vouchers: a code for each unit, which the desk uses once, or which takes its credit off an order, once. One that is not used is
 * valid while its own order is paid and its fan is not erased, and void from then on, also if its use is undone later.
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
import { listOf } from './catalogue.ts'
import { parseDelivers } from './delivers.ts'
import type { LineRow, OrderRow } from './order-rows.ts'
import { shopProblems } from './problems.ts'

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

/** Voids the vouchers of a line that are not used. Whether none was used. */
export async function voidVouchers(tx: Transaction, { orderId, number }: LineRow): Promise<boolean> {
  const { orderUnits: units } = tx.tables
  const isOfLine = and(eq(units.orderId, orderId), eq(units.line, number))
  await lockVouchersOf(tx, orderId)
  await tx
    .update(units)
    .set({ voidedAt: tx.now() })
    .where(and(isOfLine, isNull(units.usedAt), isNull(units.voidedAt)))
  const left = await tx
    .select({ unit: units.unit })
    .from(units)
    .where(and(isOfLine, isNull(units.voidedAt)))
  return left.length === 0
}

/** Voids what a fan who is erased has not used: the fan may have shown the codes to others. */
export async function voidVouchersOf(tx: Transaction, orderIds: string[]): Promise<void> {
  const { orderUnits: units } = tx.tables
  for (const orderId of orderIds) {
    await lockVouchersOf(tx, orderId)
    await tx
      .update(units)
      .set({ voidedAt: tx.now() })
      .where(and(eq(units.orderId, orderId), isNull(units.usedAt), isNull(units.voidedAt)))
  }
}

/** Of a canonical code. The desk of the staff tells it apart from a code that nobody has. */
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
 * Locks a voucher, and checks that it takes its credit off an order in this currency. No other pending order may have it.
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

/** Before the variants, as each unit of work does. Returns the canonical code. @throws DomainError `voucher_not_accepted` */
export async function lockVoucherByText(tx: Transaction, text: string): Promise<string> {
  const code = normalizeRedemptionCode(text)
  if (code === null || !(await lockVoucher(tx, code))) throw notAccepted('No voucher has this code.')
  return code
}

const notAccepted = (detail: string) => new DomainError(shopProblems.voucher_not_accepted, { detail })

/** Locked by each unit of work that uses the voucher or puts it into an order. */
export const lockVoucher = preparedRow((tx: Transaction, code: string) => {
  const { orderUnits: units } = tx.tables
  return locksForUpdate(tx, tx.select().from(units).where(eq(units.code, code)))
})

/**
 * The vouchers that an order has delivered, and the one that reduced it, in one order for all units of work: what gives or takes
 * back a voucher, or undoes its use, reads under this lock what the others have made of it.
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

/** Neither used nor void, and in no other order that is pending. The voucher is locked. */
export async function isUsable(tx: Transaction, code: string, now: Date, orderId = ''): Promise<boolean> {
  const unit = await lockVoucher(tx, code)
  return unit !== undefined && !unit.usedAt && !unit.voidedAt && !(await isReserved(tx, code, now, orderId))
}

/** Whether another order that is pending has it. */
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

/** With the completion of the order. It is usable: `isUsable` was called under its lock. */
export async function spendCredit(tx: Transaction, order: OrderRow): Promise<void> {
  const { voucherCode: code } = order
  if (code === null) return
  if (!(await use(tx, code, { usedBy: usedByOrder(order), usedAt: tx.now() })))
    throw new Error('a voucher was used while it was locked')
}

/** With the refund of the order: the voucher can be used again, unless it has become worthless meanwhile. It is locked. */
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

/** Its own order is not paid any more, or its fan is erased. The voucher is locked. */
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
  /** @throws DomainError `voucher_reserved`: a pending order has its credit */
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

/** Not what an order has taken, which ends with that order, nor of a voucher that is paid back. */
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
