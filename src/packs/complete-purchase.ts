/** Completing a purchase: pays it, takes it from the supply, and hands over the sealed pack; once. */
import { and, eq, sql } from 'drizzle-orm'
import { isUniqueViolation, type Transaction } from '../../db/index.ts'
import { preparedWrite } from '../../db/prepared.ts'
import { DomainError } from '../core/problems.ts'
import { appendEntry } from '../points/ledger.ts'
import { type PurchaseRow, presentPurchase, statusOf, type UserPackRow } from './present.ts'
import { findPurchase, findUserPackOf } from './purchases.ts'
import { insufficientPoints, POINTS } from './start-purchase.ts'
import { changeSold, countFree, countUnsold, lockPack } from './supply.ts'

/** How a purchase was paid: by the ledger, here and now, if it costs anything, or by money that a gateway has confirmed. */
export type Payment = { kind: 'points' } | { kind: 'money'; reference: string }

export type Completion =
  | { outcome: 'completed'; purchase: ReturnType<typeof presentPurchase> }
  /** Not paid, and nothing is held any more. */
  | { outcome: 'expired' }
  /** Paid, but the hold and the supply are gone: written down, so that the operator gives the money back. */
  | { outcome: 'refund_due'; purchaseId: string; newly: boolean }

/**
 * Client and gateway may both ask, at once and again. The outcomes other than `completed` must be committed as well.
 * @throws DomainError `purchase_not_found`, `insufficient_points`, `payment_not_confirmed` (the reference has served another)
 */
export async function completePurchase(
  tx: Transaction,
  purchaseId: string,
  payment: Payment,
): Promise<Completion> {
  const found = await findPurchase(tx, purchaseId)
  if (!found) throw new DomainError('purchase_not_found')
  // Pack before purchase, always: whoever starts or completes takes the locks in this order.
  const locked = await lockPack(tx, found.packId)
  const purchase = await findPurchase(tx, purchaseId)
  if (!locked || !purchase) throw new Error('pack or purchase vanished while it was completed')
  const { pack, now } = locked

  const status = statusOf(purchase, now)
  if (status === 'completed' || status === 'refunded') return completed(tx, purchase)
  if (status === 'refund_due') return { outcome: 'refund_due', purchaseId, newly: false }
  const late = status === 'expired'
  if (late && payment.kind === 'points') return { outcome: 'expired' }
  // Money that comes late gets a pack where one is still free. A hold is good for any unsold one: there is
  // none left when the operator has cut the supply below what was held.
  const left = late ? await countFree(tx, pack, now) : countUnsold(pack)
  if (left >= 1) return settle(tx, purchase, payment, now)
  return payment.kind === 'points' ? { outcome: 'expired' } : owe(tx, purchase, payment.reference)
}

async function settle(
  tx: Transaction,
  purchase: PurchaseRow,
  payment: Payment,
  now: Date,
): Promise<Completion> {
  const paymentReference = payment.kind === 'money' ? payment.reference : null
  const [done] = await writeOnce(() =>
    updatePending(tx, { purchaseId: purchase.id, completedAt: now, paymentReference }),
  )
  if (!done) throw new Error('purchase changed while its pack was locked')
  if (payment.kind === 'points') await debit(tx, purchase)
  await changeSold(tx, purchase.packId, 1)
  const userPack: UserPackRow & typeof SEALED = {
    id: tx.newId(),
    purchaseId: purchase.id,
    packId: purchase.packId,
    userId: purchase.userId,
    createdAt: now,
    ...SEALED,
  }
  await insertUserPack(tx, userPack)
  return { outcome: 'completed', purchase: presentPurchase(done, userPack, now) }
}

const SEALED = { openedAt: null, clientSeed: null, revokedAt: null }

const insertUserPack = preparedWrite<UserPackRow & typeof SEALED, unknown>((tx, value) =>
  tx.insert(tx.tables.userPacks).values({
    ...SEALED,
    id: value('id'),
    purchaseId: value('purchaseId'),
    packId: value('packId'),
    userId: value('userId'),
    createdAt: value('createdAt'),
  }),
)

interface Settlement extends Record<string, unknown> {
  purchaseId: string
  completedAt: Date
  paymentReference: string | null
}

const updatePending = preparedWrite<Settlement, PurchaseRow[]>((tx, value) => {
  const { packPurchases } = tx.tables
  return tx
    .update(packPurchases)
    .set({
      status: 'completed',
      completedAt: sql`${sql.param(value('completedAt'), packPurchases.completedAt)}`,
      paymentReference: sql`${value('paymentReference')}`,
    })
    .where(and(eq(packPurchases.id, value('purchaseId')), eq(packPurchases.status, 'pending')))
    .returning()
})

/** A pack for nothing books nothing: the ledger has no entry of zero. */
async function debit(tx: Transaction, { id, userId, priceAmount }: PurchaseRow): Promise<void> {
  if (priceAmount === 0) return
  const booking = await appendEntry(tx, { userId, delta: -priceAmount, reason: 'pack_purchase', ref: id })
  if (booking.outcome === 'insufficient') throw insufficientPoints(priceAmount, booking.balance)
}

async function owe(tx: Transaction, { id }: PurchaseRow, paymentReference: string): Promise<Completion> {
  const { packPurchases } = tx.tables
  await writeOnce(() =>
    tx
      .update(packPurchases)
      .set({ status: 'refund_due', paymentReference })
      .where(and(eq(packPurchases.id, id), eq(packPurchases.status, 'pending'))),
  )
  return { outcome: 'refund_due', purchaseId: id, newly: true }
}

/** The unique index on references decides. @throws DomainError `payment_not_confirmed` */
async function writeOnce<T>(write: () => PromiseLike<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueViolation(error, 'pack_purchases_payment_unique')) throw error
    throw new DomainError('payment_not_confirmed', { detail: 'The payment has served another purchase.' })
  }
}

async function completed(tx: Transaction, purchase: PurchaseRow): Promise<Completion> {
  const userPack = await findUserPackOf(tx, purchase.id)
  return { outcome: 'completed', purchase: presentPurchase(purchase, userPack, tx.now()) }
}

/** Whether a gateway must have taken money for it: not for a price in points, nor for one of nothing. */
export const needsMoney = ({ priceAmount, priceCurrency }: PurchaseRow) =>
  priceCurrency !== POINTS && priceAmount > 0
