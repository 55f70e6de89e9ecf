/** Withdrawal without sign-in: the number of an order and the verified e-mail address of its fan stand for the sign-in. */
import { inArray } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../../../db/index.ts'
import { prepared } from '../../../../db/prepared.ts'
import { rollBack } from '../../../../db/roll-back.ts'
import { presentTexts } from '../../../club/catalogue/texts.ts'
import { DomainError } from '../../../core/problems.ts'
import { isVerifiedEmail } from '../../../identity/users/emails.ts'
import { lockCounting } from '../../../identity/users/locks.ts'
import { isErased } from '../../../identity/users/users.ts'
import { isPaidByGateway, needsMoney, POINTS } from '../../purchases/purchase.ts'
import { purchasesNumbered } from '../../purchases/receipts.ts'
import { findOrder, type LineRow, type OrderRow } from '../order-rows.ts'
import { paidByLine, paidForUnits } from '../paid-amounts.ts'
import { shopProblems } from '../problems.ts'
import { readProducts, readVariants } from '../products.ts'
import { tryWithdrawal, type WithdrawOptions, withdrawOrder } from '../withdraw.ts'

/** What a person knows of an order. */
export interface Pair {
  /** Its number, or that of its receipt or a credit note, as typed. */
  order: string
  email: string
}

/** No record has it: an order that does not exist takes the same statements as one that does. */
const NOBODY = ''
const ORDER = /^[\w-]{1,64}$/
const RECEIPT = /^[1-9]\d{0,14}$/
/** Money and points, which both number their receipts from 1. */
const SERIES = 2

/** Numbers that are compared as one are limited as one. */
export const normalizeNumber = (order: string): string => order.trim().toLowerCase()

/** The orders of a number. Always one statement. */
async function findNumbered(reader: Reader, order: string): Promise<OrderRow[]> {
  const number = normalizeNumber(order)
  if (RECEIPT.test(number)) {
    const both = await selectByReceipt(reader, Number(number))
    return both.toSorted((a, b) => Number(needsMoney(b)) - Number(needsMoney(a)))
  }
  const found = await findOrder(reader, ORDER.test(number) ? number : '')
  return found ? [found] : []
}

const selectByReceipt = prepared((reader: Reader, number: number) => {
  const { orders } = reader.tables
  return reader
    .select()
    .from(orders)
    .where(inArray(orders.id, purchasesNumbered(reader, number)))
})

/**
 * @throws DomainError `order_not_found`, alike for an order that does not exist, another address, an address that is not verified, and
 * an erased fan
 */
async function matchOrder(
  reader: Reader,
  { order, email }: Pair,
): Promise<{ orderId: string; userId: string }> {
  const found = await findNumbered(reader, order)
  const owners = Array.from({ length: SERIES }, (_, index) => found[index]?.userId ?? NOBODY)
  const areOwn = await Promise.all(owners.map(owner => isVerifiedEmail(reader, owner, email)))
  const own = found.find((_, index) => areOwn[index])
  if (!own) throw new DomainError(shopProblems.order_not_found)
  return { orderId: own.id, userId: own.userId }
}

/** The record of a merged fan has no orders. @throws DomainError `order_not_found` */
async function lockOwner(tx: Transaction, userId: string): Promise<void> {
  const [fan] = await lockCounting(tx, userId)
  if (!fan || isErased(fan)) throw new DomainError(shopProblems.order_not_found)
}

export interface ShownLine {
  number: number
  /** Of the product, and of its variant if it has several. Texts of the catalogue, which the page renders in its language. */
  names: string[]
  quantity: number
  withdrawnAt: Date | null
  /** What is refunded of its price: at once, and when it is back. */
  now: number
  later: number
  /** Why it cannot be withdrawn. */
  refusal: 'withdrawal_over' | 'withdrawal_waived' | 'already_used' | null
}

export interface ShownOrder {
  id: string
  createdAt: Date
  /** POINTS, or ISO 4217. */
  currency: string
  means: 'points' | 'cash' | 'gateway' | 'free'
  lines: ShownLine[]
}

/** What can be withdrawn, and what comes back. Changes nothing. @throws DomainError `order_not_found`, `not_refundable` */
export async function previewWithdrawal(
  db: Database,
  pair: Pair,
  options: Pick<WithdrawOptions, 'isStorePayment'>,
): Promise<ShownOrder> {
  const withdrawal = await matchOrder(db.read, pair)
  const { order, lines, withdrawn, refusals } = await rollBack(db, async tx => {
    await lockOwner(tx, withdrawal.userId)
    return tryWithdrawal(tx, withdrawal, options)
  })
  const units = new Map(withdrawn.map(({ line, units }) => [line.number, units]))
  return present(db.read, order, lines, line => {
    const { number, quantity, refundedUnits } = line
    const back = units.get(number)
    if (back === undefined) return { ...refundOf(line), refusal: refusals.get(number)?.code ?? null }
    return back === null
      ? { now: 0, later: quantity - refundedUnits, refusal: null }
      : { now: back, later: 0, refusal: null }
  })
}

/**
 * Withdraws from these lines, and says what was withdrawn from them now or before: a repetition answers the same.
 * @throws DomainError `order_not_found`, `not_refundable`, `withdrawal_over`, `withdrawal_waived`, `already_used`, `validation_failed`
 */
export async function confirmWithdrawal(
  db: Database,
  pair: Pair,
  numbers: readonly number[],
  options: WithdrawOptions,
): Promise<ShownOrder> {
  const withdrawal = await matchOrder(db.read, pair)
  const { order, lines } = await db.write(async tx => {
    await lockOwner(tx, withdrawal.userId)
    return withdrawOrder(tx, { ...withdrawal, numbers }, options)
  })
  const chosen = await present(db.read, order, lines, line => ({ ...refundOf(line), refusal: null }))
  return { ...chosen, lines: chosen.lines.filter(({ number }) => numbers.includes(number)) }
}

/** Of a line that was withdrawn: units whose price is back, and those that have to come back first. */
function refundOf({ withdrawnAt, quantity, refundedUnits, kind }: LineRow) {
  const isAwaited = withdrawnAt !== null && kind === 'physical'
  return { now: refundedUnits, later: isAwaited ? quantity - refundedUnits : 0 }
}

type Units = Pick<ShownLine, 'now' | 'later' | 'refusal'>

/** `unitsOf`: of a line that is withdrawn now, units in addition to those that were refunded before. */
async function present(
  reader: Reader,
  order: OrderRow,
  lines: LineRow[],
  unitsOf: (line: LineRow) => Units,
): Promise<ShownOrder> {
  const paid = paidByLine(lines, order.discountAmount)
  const namesOf = await readNames(reader, lines)
  return {
    id: order.id,
    createdAt: order.createdAt,
    currency: order.priceCurrency,
    means: meansOf(order),
    lines: lines.map((line, index) => {
      const { number, quantity, withdrawnAt } = line
      const { now, later, refusal } = unitsOf(line)
      // Before a withdrawal no unit of the line was refunded.
      const amountOf = (units: number) => paidForUnits(paid[index] ?? 0, quantity, units)
      return {
        number,
        names: namesOf(line),
        quantity,
        withdrawnAt,
        now: amountOf(now),
        later: amountOf(now + later) - amountOf(now),
        refusal,
      }
    }),
  }
}

function meansOf(order: OrderRow): ShownOrder['means'] {
  if (order.priceAmount === 0) return 'free'
  if (order.priceCurrency === POINTS) return 'points'
  return isPaidByGateway(order) ? 'gateway' : 'cash'
}

async function readNames(reader: Reader, lines: LineRow[]) {
  const ids = lines.map(({ productId }) => productId)
  const products = new Map((await readProducts(reader, ids)).map(row => [row.id, row]))
  const variants = await readVariants(reader, ids)
  return ({ productId, variantId }: LineRow): string[] => {
    const own = variants.get(productId) ?? []
    const variant = own.length > 1 ? own.find(({ id }) => id === variantId) : undefined
    return [products.get(productId), variant].flatMap(row => (row ? presentTexts(row).name : []))
  }
}
