/** The interface of a kind of purchase: packs, orders and cash. A kind provides its rows, its stock and its delivery. */
import type { Reader, Transaction } from '../../../db/index.ts'
import type { Viewer } from '../../core/caller.ts'
import { DomainError, type ProblemType } from '../../core/problems.ts'
import type { PurchaseKindName } from './kind-names.ts'
import type { Purchase } from './purchase.ts'
import type { Spending } from './spent.ts'

/** The time after the wait for a lock, so that holds that expired during the wait do not count. */
export interface Locked {
  now: Date
}

export interface PurchaseKind<
  Row extends Purchase = Purchase,
  Lock extends Locked = Locked,
  Result = unknown,
> {
  readonly name: PurchaseKindName
  /** Its name in messages. */
  readonly noun: 'purchase' | 'order' | 'top-up'
  /** Name of the status `completed` for clients and in messages. */
  readonly completedAs: 'completed' | 'paid'
  /** Reasons of ledger entries. Null: it has no price in points. */
  readonly reasons: {
    paid: 'pack_purchase' | 'order_payment'
    refunded: 'pack_refund' | 'order_refund'
  } | null
  /**
   * The event of its completion, and the member of its data that contains the id. A refund voids the event. Null: no event.
   */
  readonly completion: { event: 'purchase.completed' | 'order.paid'; member: string } | null
  /** Whether app stores sell it. They refund their customers themselves, even after the purchase was used. */
  readonly inStores: boolean
  readonly problems: { notFound: ProblemType; expired: ProblemType; notPending: ProblemType }

  find(reader: Reader, id: string): Promise<Row | undefined>
  /** Changes a purchase that has this status; otherwise changes nothing and returns undefined. */
  update(tx: Transaction, row: Row, status: string, changes: Partial<Purchase>): Promise<Row | undefined>
  /** What counts against a limit of the fan: see `spent.ts`. */
  sumSpent(reader: Reader, spending: Spending): Promise<number>
  /** Oldest first. */
  listRefundsDue(reader: Reader): Promise<Row[]>

  /** Locks the stock until the unit of work ends. `limited`: undefined, with nothing locked, if the stock has no limit. */
  lock(tx: Transaction, row: Row, which: 'limited' | 'all'): Promise<Lock | undefined>
  /**
   * Why it cannot be delivered; null if it can. With its hold, it needs an unsold unit: an operator can reduce the stock
   * below the held number. Without it (`late`), it needs a unit that nobody else holds.
   */
  findBlocker(tx: Transaction, row: Row, lock: Lock, late: boolean): Promise<DomainError | null>
  /** Called after the row is completed: takes the stock, delivers, records the event, and issues the receipt. `lock`: what `lock` locked. */
  deliver(tx: Transaction, row: Row, lock?: Lock): Promise<Result>
  /** The result of an earlier completion. */
  readResult(tx: Transaction, row: Row): Promise<Result>
  /** Called after the row is cancelled: ends its hold. */
  release(tx: Transaction, row: Row): Promise<void>
  /** Called after the row is `refund_due`. */
  recordRefundDue(tx: Transaction, row: Row): Promise<void>
  /** Takes back what was not used. Returns whether stock was returned, now or earlier. */
  takeBack(tx: Transaction, row: Row): Promise<boolean>
  /** Of kinds with parts: what is due at the gateway is not paid, since the gateway has returned the whole payment. */
  voidDueParts?(tx: Transaction, row: Row): Promise<void>
  /** Of kinds with parts: what a gateway has refunded of a purchase that is not refunded as a whole. */
  sumParts?(reader: Reader, id: string): Promise<number>
  /** Of kinds with parts: the purchases of which a gateway has refunded a part since. */
  listWithParts?(reader: Reader, since: Date): Promise<Row[]>
  /** Of kinds with parts: the refunds of parts that a gateway has to make, the oldest first. A background task makes them. */
  listPartsDue?(reader: Reader): Promise<{ id: string; amount: number; purchase: Row }[]>
  /** Called after the row is refunded: records the event, and issues the credit note of what was left. */
  recordRefund(tx: Transaction, row: Row): Promise<void>
  /** What a refund would do now. */
  readGoods(reader: Reader, row: Row): Promise<Goods>
  /** The effect of a refund, in words. */
  describeReturn(supplyReturned: boolean): string
}

/** The bought goods, as a refund describes them. */
export interface Goods {
  /** For the JSON document of `bun run refund`. */
  members: object
  /** What happens to each item, in words. */
  consequences: { item: string; consequence: string }[]
  /** Whether a refund would return all of it to the stock. */
  supplyReturned: boolean
}

/** The status as clients see it, for the `detail` of a problem. */
export const describeStatus = ({ noun, completedAs }: PurchaseKind, status: string): string =>
  `The ${noun} is ${status === 'completed' ? completedAs : status}.`

/** The reasons of a kind that has prices in points. */
export function pointsReasonsOf({ reasons, name }: Pick<PurchaseKind, 'reasons' | 'name'>) {
  if (!reasons) throw new Error(`no ${name} has a price in points`)
  return reasons
}

/** A purchase of any of these kinds: ids are unique among all kinds. */
export async function findOfKinds(reader: Reader, kinds: readonly PurchaseKind[], id: string) {
  for (const kind of kinds) {
    const purchase: Purchase | undefined = await kind.find(reader, id)
    if (purchase) return { kind, purchase }
  }
  return undefined
}

/** A purchase of the caller. @throws DomainError `notFound` of the kind, also for another fan's purchase */
export async function requireOwn<Row extends Purchase, Lock extends Locked, Result>(
  reader: Reader,
  kind: PurchaseKind<Row, Lock, Result>,
  { userId }: Viewer,
  purchaseId: string,
): Promise<Row> {
  const purchase = await kind.find(reader, purchaseId)
  if (purchase?.userId !== userId) throw new DomainError(kind.problems.notFound)
  return purchase
}
