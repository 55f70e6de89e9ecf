/** What can be bought: packs, orders and cash. The engine asks a kind for its rows, its stock and its delivery. */

import type { Reader, Transaction } from '../../../db/index.ts'
import type { DomainError, ProblemType } from '../../core/problems.ts'
import type { PurchaseKindName } from './kind-names.ts'
import type { Purchase } from './purchase.ts'

/** The time after the wait for a lock: holds that expired during the wait do not count. */
export interface Locked {
  now: Date
}

export interface PurchaseKind<
  Row extends Purchase = Purchase,
  Lock extends Locked = Locked,
  Result = unknown,
> {
  readonly name: PurchaseKindName
  /** What messages call it. */
  readonly noun: 'purchase' | 'order' | 'top-up'
  /** What clients and messages call `completed`. */
  readonly completedAs: 'completed' | 'paid'
  /** Of entries of points. Null: it has no price in points. */
  readonly reasons: {
    paid: 'pack_purchase' | 'order_payment'
    refunded: 'pack_refund' | 'order_refund'
  } | null
  /** The event of its completion, and the member of its data that has the id. A refund voids it. Null: it has none. */
  readonly completion: { event: 'purchase.completed' | 'order.paid'; member: string } | null
  /** Whether stores of mobile platforms sell it: they refund their customers themselves, also what is spent by then. */
  readonly inStores: boolean
  readonly problems: { notFound: ProblemType; expired: ProblemType; notPending: ProblemType }

  find(reader: Reader, id: string): Promise<Row | undefined>
  /** Changes a purchase that has this status; without one, changes nothing and returns undefined. */
  update(tx: Transaction, row: Row, status: string, changes: Partial<Purchase>): Promise<Row | undefined>
  /** Oldest first. */
  listRefundsDue(reader: Reader): Promise<Row[]>

  /** Locks the stock until the unit of work ends. `limited`: undefined, with nothing locked, if the stock has no limit. */
  lock(tx: Transaction, row: Row, which: 'limited' | 'all'): Promise<Lock | undefined>
  /**
   * Why it cannot be delivered; null if it can. With its hold it can if anything is unsold: an operator can reduce the stock below
   * what is held. Without it (`late`), only from stock that nobody else holds.
   */
  findBlocker(tx: Transaction, row: Row, lock: Lock, late: boolean): Promise<DomainError | null>
  /** After the row is completed: takes the stock, delivers, and records the event. */
  deliver(tx: Transaction, row: Row): Promise<Result>
  /** The result of a completion that was made before. */
  readResult(tx: Transaction, row: Row): Promise<Result>
  /** After the row is cancelled: its hold ends. */
  release(tx: Transaction, row: Row): Promise<void>
  /** After the row is `refund_due`. */
  recordRefundDue(tx: Transaction, row: Row): Promise<void>
  /** Takes back what can be taken back. Whether stock was returned, now or before. */
  takeBack(tx: Transaction, row: Row): Promise<boolean>
  /** After the row is refunded. */
  recordRefund(tx: Transaction, row: Row): Promise<void>
  /** What a refund would do now. */
  readGoods(reader: Reader, row: Row): Promise<Goods>
  /** What a refund has done, in words. */
  describeReturn(supplyReturned: boolean): string
}

/** What was bought, for whoever refunds it. */
export interface Goods {
  /** For the JSON document of `bun run refund`. */
  members: object
  /** What becomes of each item, in words. */
  consequences: { item: string; consequence: string }[]
  /** Whether a refund would return all of it to the stock. */
  supplyReturned: boolean
}

/** For the `detail` of a problem: the status as clients see it. */
export const describeStatus = ({ noun, completedAs }: PurchaseKind, status: string): string =>
  `The ${noun} is ${status === 'completed' ? completedAs : status}.`

/** Of a kind that has prices in points. */
export function pointsReasonsOf({ reasons, name }: Pick<PurchaseKind, 'reasons' | 'name'>) {
  if (!reasons) throw new Error(`no ${name} has a price in points`)
  return reasons
}
