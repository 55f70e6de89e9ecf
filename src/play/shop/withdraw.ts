/** Withdrawal from an order: what was not sent or used is taken back and refunded; what was shipped is refunded when it is back. */
import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { windowAt } from '../../core/windows.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { lockAccount } from '../../economy/points/account.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import { describeStatus } from '../purchases/kind.ts'
import { purchaseProblems } from '../purchases/problems.ts'
import { statusOf } from '../purchases/purchase.ts'
import { rewardProblems } from '../rewards/problems.ts'
import { invalid } from './choice.ts'
import { takeBackUnits } from './deliver.ts'
import { parseDelivers } from './delivers.ts'
import { recordLine } from './events.ts'
import { isUnsent, orderKind } from './order-kind.ts'
import {
  findOrder,
  type LineRow,
  type OrderRow,
  readLines,
  readOrderWhole,
  updateLine,
  type WholeOrder,
} from './order-rows.ts'
import { shopProblems } from './problems.ts'
import { type ReturnedUnits, refundUnits } from './refund-lines.ts'
import { changeSold } from './stock.ts'

export interface Withdrawal {
  orderId: string
  /** Its fan. */
  userId: string
  /** Numbers of lines. Undefined: all that can be withdrawn. */
  numbers?: readonly number[] | undefined
}

export interface WithdrawOptions {
  /** Whether a store of a mobile platform took the payment: it refunds its customers itself. */
  isStorePayment: (reference: string) => boolean
  payOut: (orderId: string) => void
}

/** The fan is locked. A repeat changes nothing. */
export async function withdrawOrder(
  tx: Transaction,
  { orderId, userId, numbers }: Withdrawal,
  { isStorePayment, payOut }: WithdrawOptions,
): Promise<WholeOrder> {
  const { order, lines } = await lockOrder(tx, orderId, userId)
  const open = chosen(lines, numbers).filter(({ withdrawnAt }) => withdrawnAt === null)
  if (open.length === 0) return readOrderWhole(tx, orderId)
  requireRefundable(order, tx.clock(), isStorePayment)
  const { withdrawn, refusals } = await takeBackLines(tx, order, lines, open)
  const [first] = refusals.values()
  if (first && (numbers || withdrawn.length === 0)) throw first
  const back = withdrawn.flatMap(({ line, units }): ReturnedUnits | [] =>
    units === null ? [] : { line, units },
  )
  if (back.length > 0) await refundUnits(tx, orderId, back, { tells: true, payOut })
  await recordWithdrawal(
    tx,
    order,
    withdrawn.map(({ line }) => line),
  )
  return readOrderWhole(tx, orderId)
}

/** What a withdrawal from all lines would do. */
export interface WithdrawalPreview {
  order: OrderRow
  lines: LineRow[]
  withdrawn: TakenBack[]
  /** By the number of the line. */
  refusals: ReadonlyMap<number, Refusal>
}

/**
 * Tries the withdrawal: its unit of work must be rolled back. The fan is locked.
 * @throws DomainError `order_not_found`, `not_refundable`
 */
export async function tryWithdrawal(
  tx: Transaction,
  { orderId, userId }: Withdrawal,
  { isStorePayment }: Pick<WithdrawOptions, 'isStorePayment'>,
): Promise<WithdrawalPreview> {
  const { order, lines } = await lockOrder(tx, orderId, userId)
  const open = lines.filter(({ withdrawnAt }) => withdrawnAt === null)
  if (open.length === 0) return { order, lines, withdrawn: [], refusals: new Map() }
  requireRefundable(order, tx.clock(), isStorePayment)
  return { order, lines, ...(await takeBackLines(tx, order, lines, open)) }
}

async function lockOrder(tx: Transaction, orderId: string, userId: string) {
  const found = await findOrder(tx, orderId)
  if (found?.userId !== userId) throw new DomainError(shopProblems.order_not_found)
  await lockAccount(tx, userId)
  await orderKind.lock(tx, found, 'all')
  const [order, lines] = [await findOrder(tx, orderId), await readLines(tx, orderId)]
  if (!order) throw new Error('an order vanished')
  return { order, lines }
}

function requireRefundable(order: OrderRow, now: Date, isStorePayment: WithdrawOptions['isStorePayment']) {
  if (order.status !== 'completed') throw refused(describeStatus(orderKind, statusOf(order, now)))
  if (order.paymentReference !== null && isStorePayment(order.paymentReference))
    throw refused('A store of a mobile platform took the payment: ask there for the refund.')
}

interface TakenBack {
  line: LineRow
  /** The units that are back. Null: the line is refunded when it is returned. */
  units: number | null
}

async function takeBackLines(tx: Transaction, order: OrderRow, lines: LineRow[], open: LineRow[]) {
  const timeZone = await timeZoneOf(tx)
  const refusals = new Map<number, Refusal>()
  const withdrawn: TakenBack[] = []
  for (const line of open) {
    const refusal = findRefusal(order, lines, line, { now: tx.clock(), timeZone })
    const units = refusal ? 0 : await takeBack(tx, order, line)
    if (units !== 0) withdrawn.push({ line, units })
    else refusals.set(line.number, refusal ?? new DomainError(rewardProblems.already_used, {}))
  }
  return { withdrawn, refusals }
}

const refused = (detail: string) => new DomainError(purchaseProblems.not_refundable, { detail })

function chosen(lines: LineRow[], numbers: readonly number[] | undefined): LineRow[] {
  if (!numbers) return lines
  const known = new Set(lines.map(({ number }) => number))
  const unknown = numbers.findIndex(number => !known.has(number))
  if (unknown >= 0) throw invalid([{ pointer: `/lines/${unknown}`, message: 'is not a line of the order' }])
  return lines.filter(({ number }) => numbers.includes(number))
}

interface Clock {
  now: Date
  timeZone: string
}

/** Why a line cannot be withdrawn. */
type Refusal = DomainError<
  (typeof shopProblems)['withdrawal_over' | 'withdrawal_waived'] | typeof rewardProblems.already_used
>

/** Apart from its use. */
function findRefusal(
  order: OrderRow,
  lines: LineRow[],
  line: LineRow,
  { now, timeZone }: Clock,
): Refusal | null {
  const until = withdrawableUntil(order, lines, line, timeZone)
  if (until !== null && now >= until) return new DomainError(shopProblems.withdrawal_over)
  if (order.waiver && line.kind !== 'physical') return new DomainError(shopProblems.withdrawal_waived)
  return null
}

const DAYS = 14
const DAY_MS = 86_400_000
const HALF_DAY_MS = DAY_MS / 2
/** The time for the delivery that the law gives where none is agreed: for lines without a recorded time. */
const LATEST_DELIVERY_MS = 30 * DAY_MS

/**
 * The end of the 14th day after the last line that is shipped has arrived, or after the payment for other lines. Null: a shipped
 * line has not arrived.
 */
function withdrawableUntil(
  order: OrderRow,
  lines: LineRow[],
  { kind }: LineRow,
  timeZone: string,
): Date | null {
  const paidAt = order.completedAt ?? order.createdAt
  if (kind !== 'physical') return endOfDays(paidAt, timeZone)
  const shipped = lines.filter(line => line.kind === 'physical' && line.state !== 'returned')
  if (shipped.some(({ state }) => state !== 'delivered')) return null
  const arrivals = shipped.map(
    ({ deliveredAt }) => deliveredAt?.getTime() ?? paidAt.getTime() + LATEST_DELIVERY_MS,
  )
  return arrivals.length === 0 ? null : endOfDays(new Date(Math.max(...arrivals)), timeZone)
}

/** A day can be 23 or 25 hours long: the middle of the last one is found, then its end. */
function endOfDays(start: Date, timeZone: string): Date {
  const { endsAt } = windowAt('day', start, timeZone)
  const middle = new Date(endsAt.getTime() + DAYS * DAY_MS - HALF_DAY_MS)
  return windowAt('day', middle, timeZone).endsAt
}

/** The units that are back. Null: the line is refunded when it is returned. */
async function takeBack(tx: Transaction, order: OrderRow, line: LineRow): Promise<number | null> {
  const { orderId, number, quantity, kind, state } = line
  const withdrawnAt = tx.now()
  if (kind === 'physical') {
    const isBack = state === 'returned' || isUnsent(line)
    const [changed] = await updateLine(tx, orderId, number, { withdrawnAt, ...(isBack ? RETURNED : {}) })
    // Those who pack it learn that it is not sent.
    if (changed && changed.state !== state) await recordLine(tx, order, changed)
    if (isBack && line.isSold) changeSold(tx, [{ ...line, by: -quantity }])
    return isBack ? quantity : null
  }
  const isUsedFile = parseDelivers(line.delivers).file !== undefined && line.downloadedAt !== null
  // never purchase_not_found, points_limit_reached: the goods are those of a paid line.
  const units = isUsedFile ? 0 : await takeBackUnits(tx, line)
  if (units === 0) return 0
  await updateLine(tx, orderId, number, { withdrawnAt, ...(units === quantity ? RETURNED : {}) })
  if (line.isSold) changeSold(tx, [{ ...line, by: -units }])
  return units
}

const RETURNED = { state: 'returned', isSold: false }

async function recordWithdrawal(tx: Transaction, { id: orderId, userId }: OrderRow, lines: LineRow[]) {
  const data = {
    orderId,
    lines: lines.map(({ number: line, productId, variantId, quantity }) => ({
      line,
      productId,
      variantId,
      quantity,
    })),
  }
  await recordEvent(tx, { userId, type: 'order.withdrawn', data })
}
