/** Completes a purchase, once: books the payment, takes a pack from the supply and creates the sealed pack. */

import { isUniqueViolation, type Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { DomainError } from '../../core/problems.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { appendEntry, insufficientPoints } from '../../economy/points/ledger.ts'
import { pointsProblems } from '../../economy/points/problems.ts'
import { type PurchaseRow, presentPurchase, statusOf, type UserPackRow } from './present.ts'
import { packProblems } from './problems.ts'
import { findPurchase, findUserPackOf, updatePurchase } from './purchases.ts'
import { POINTS } from './start-purchase.ts'
import { changeSold, countFree, countUnsold, lockLimitedPack, lockPack } from './supply.ts'

/** How a purchase is paid: with points, booked on completion, or with money that a gateway has confirmed. */
export type Payment = { kind: 'points' } | { kind: 'money'; reference: string }

export type Completion =
  | { outcome: 'completed'; purchase: ReturnType<typeof presentPurchase> }
  /** Not paid, and the hold has expired. */
  | { outcome: 'expired' }
  /** Not paid, and the fan has cancelled it. */
  | { outcome: 'cancelled' }
  /** Paid, but cancelled, or expired and sold out: the operator refunds the money. */
  | { outcome: 'refund_due'; purchaseId: string; newly: boolean }

/**
 * The client and the gateway may both call it, concurrently and repeatedly. Outcomes other than `completed` must be
 * committed as well. Throws `payment_not_confirmed` when the reference has paid another purchase.
 */
export async function completePurchase(
  tx: Transaction,
  purchaseId: string,
  payment: Payment,
): Promise<Completion> {
  const found = await findPurchase(tx, purchaseId)
  if (!found) throw new DomainError(packProblems.purchase_not_found)
  const limited = await lockLimitedPack(tx, found.packId)
  if (!limited && statusOf(found, tx.clock()) === 'pending') {
    const completion = await complete(tx, found, payment, tx.clock())
    if (completion) return completion
  }
  const locked = limited ?? (await lockPack(tx, found.packId))
  const purchase = await findPurchase(tx, purchaseId)
  if (!locked || !purchase) throw new Error('pack or purchase vanished while it was completed')
  const { pack, now } = locked

  const status = statusOf(purchase, now)
  if (status === 'completed' || status === 'refunded') {
    const userPack = await findUserPackOf(tx, purchaseId)
    return { outcome: 'completed', purchase: presentPurchase(purchase, userPack, tx.now()) }
  }
  if (status === 'refund_due') return { outcome: 'refund_due', purchaseId, newly: false }
  if (status === 'cancelled')
    return payment.kind === 'points'
      ? { outcome: 'cancelled' }
      : markRefundDue(tx, purchase, payment.reference)
  const late = status === 'expired'
  if (late && payment.kind === 'points') return { outcome: 'expired' }
  // A late payment gets a pack if one is free. A hold gets any unsold pack; there is none if the operator reduced the
  // supply below the number held.
  const left = late ? await countFree(tx, pack, now) : countUnsold(pack)
  if (left >= 1) {
    const completion = await complete(tx, purchase, payment, now)
    if (!completion) throw new Error('purchase changed while its pack was locked')
    return completion
  }
  return payment.kind === 'points' ? { outcome: 'expired' } : markRefundDue(tx, purchase, payment.reference)
}
completePurchase.problems = [
  packProblems.purchase_not_found,
  pointsProblems.insufficient_points,
  packProblems.payment_not_confirmed,
] as const

/** Null, with nothing changed, if the purchase is no longer pending. */
async function complete(
  tx: Transaction,
  purchase: PurchaseRow,
  payment: Payment,
  now: Date,
): Promise<Completion | null> {
  const { id: purchaseId, packId, userId } = purchase
  const paymentReference = payment.kind === 'money' ? payment.reference : null
  const [done] = await writeOnce(() =>
    updatePurchase(tx, purchaseId, 'pending', { status: 'completed', completedAt: now, paymentReference }),
  )
  if (!done) return null
  if (payment.kind === 'points') await debit(tx, purchase)
  changeSold(tx, packId, 1)
  const userPack: UserPackRow = { id: tx.newId(), purchaseId, packId, userId, createdAt: now, ...SEALED }
  await insertUserPack(tx, userPack)
  const data = { ...saleOf(purchase), userPackId: userPack.id }
  await recordEvent(tx, { userId, type: 'purchase.completed', data })
  return { outcome: 'completed', purchase: presentPurchase(done, userPack, now) }
}

const SEALED = { openedAt: null, clientSeed: null, revokedAt: null }

const insertUserPack = prepared((tx: Transaction, userPack: UserPackRow) =>
  tx.insert(tx.tables.userPacks).values(userPack),
)

/** A free pack books nothing: the ledger has no entries of zero. */
async function debit(tx: Transaction, { id, userId, priceAmount }: PurchaseRow): Promise<void> {
  if (priceAmount === 0) return
  const booking = await appendEntry(tx, { userId, delta: -priceAmount, reason: 'pack_purchase', ref: id })
  if (booking.outcome === 'insufficient') throw insufficientPoints(priceAmount, booking.balance)
}

async function markRefundDue(
  tx: Transaction,
  { id, status }: PurchaseRow,
  paymentReference: string,
): Promise<Completion> {
  await writeOnce(() => updatePurchase(tx, id, status, { status: 'refund_due', paymentReference }))
  return { outcome: 'refund_due', purchaseId: id, newly: true }
}

/** The unique index on references decides whether a payment has been used before. */
async function writeOnce<T>(write: () => PromiseLike<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueViolation(error, 'pack_purchases_payment_unique')) throw error
    throw new DomainError(packProblems.payment_not_confirmed, {
      detail: 'The payment was used for another purchase.',
    })
  }
}

/** A purchase in the data of events. */
export const saleOf = ({ id, packId, priceAmount, priceCurrency }: PurchaseRow) => {
  return { purchaseId: id, packId, price: { amount: priceAmount, currency: priceCurrency } }
}

/** Whether it is paid with money: neither priced in points nor free. */
export const needsMoney = ({ priceAmount, priceCurrency }: PurchaseRow) =>
  priceCurrency !== POINTS && priceAmount > 0
