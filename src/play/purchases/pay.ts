/** Payments with money, as clients request them: prepared with the gateway, verified before the completion, or cancelled. */
import type { Logger } from 'pino'
import type { Database, Transaction } from '../../../db/index.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import type { AppSources } from '../../core/sources.ts'
import { holdCash } from '../../economy/cash/holds.ts'
import { cashProblems } from '../../economy/cash/problems.ts'
import { type Completion, complete } from './complete.ts'
import { cancelWithAll, defaultGateway, findGateway, type Payments } from './gateways/create.ts'
import { type Charge, isStore, NO_GATEWAY, notConfirmed, type StoreName } from './gateways/gateway.ts'
import { type Locked, type PurchaseKind, requireOwn } from './kind.ts'
import { type Payment, usedBefore } from './means.ts'
import { findPayment } from './payments.ts'
import { purchaseProblems } from './problems.ts'
import { chargeOf, needsMoney, type Purchase, statusOf } from './purchase.ts'

/**
 * Prepares the payment with the gateway, before the unit of work. Refuses a purchase that is paid or can no longer be
 * completed. `store`: the app store to use.
 */
export async function preparePayment(
  { db, payments, now }: { db: Database; payments: Payments; now: AppSources['now'] },
  kind: PurchaseKind,
  viewer: Viewer,
  purchaseId: string,
  store?: StoreName,
) {
  const purchase = await requireOwn(db.read, kind, viewer, purchaseId)
  requirePending(kind, purchase, now())
  const gateway = store ? payments[store] : defaultGateway(payments)
  if (!gateway) throw notConfirmed(store ? `This server takes no payments of ${store}.` : NO_GATEWAY)
  return gateway.prepare(chargeOf(purchase))
}

/** Requires that the purchase has a price and can still be paid. */
function requirePending(kind: PurchaseKind, purchase: Purchase, now: Date): void {
  const status = statusOf(purchase, now)
  if (status === 'completed') throw new DomainError(purchaseProblems.no_payment_needed)
  if (status === 'refund_due')
    throw paidInVain(kind, purchase.completedAt === null && purchase.expiresAt <= now ? 'late' : 'ended')
  if (status === 'refunded')
    throw new DomainError(kind.problems.notPending, {
      detail: `The ${kind.noun} is refunded; start another.`,
    })
  if (status === 'cancelled') throw cancelled(kind)
  if (status !== 'pending') throw new DomainError(kind.problems.expired)
  if (!needsMoney(purchase)) throw new DomainError(purchaseProblems.no_payment_needed)
}

/** As `holdCashOf`, for a purchase of the caller. */
export const holdCashFor = async (
  tx: Transaction,
  kind: PurchaseKind,
  caller: Caller,
  purchaseId: string,
  currencies: readonly string[],
): Promise<void> => holdCashOf(tx, kind, await requireOwn(tx, kind, caller, purchaseId), currencies)

/**
 * Holds cash of the fan for the whole price until the purchase expires; the completion captures it. `currencies`: the
 * currencies of cash.
 */
export async function holdCashOf(
  tx: Transaction,
  kind: PurchaseKind,
  purchase: Purchase,
  currencies: readonly string[],
): Promise<void> {
  requirePending(kind, purchase, tx.clock())
  const { id: purchaseId, userId, priceCurrency: currency, priceAmount: amount, expiresAt } = purchase
  if (!currencies.includes(currency)) throw new DomainError(cashProblems.cash_not_accepted)
  // If the purchase is cancelled at the same time, the hold ends by its own expiry.
  if (!(await holdCash(tx, { purchaseId, userId, currency, amount, expiresAt })))
    throw new DomainError(kind.problems.expired)
}

/**
 * Verifies the payment with the gateway, before the unit of work, which must not wait for another system. Without a reference
 * there is no gateway to ask.
 */
export async function verifyPaymentOf(
  { db, payments }: { db: Database; payments: Payments },
  kind: PurchaseKind,
  viewer: Viewer,
  purchaseId: string,
  reference: string | undefined,
): Promise<Payment> {
  if (reference === undefined) return { kind: 'own' }
  const purchase = await requireOwn(db.read, kind, viewer, purchaseId)
  if (!needsMoney(purchase)) return { kind: 'own' }
  const status = statusOf(purchase, db.read.now())
  // Already completed or refunded: the verb returns its earlier result without the gateway.
  if (status === 'completed' || status === 'refund_due' || status === 'refunded')
    return { kind: 'money', reference }
  try {
    const gateway = findGateway(payments, reference) ?? defaultGateway(payments)
    if (!gateway) throw notConfirmed(NO_GATEWAY)
    if (isStore(gateway) && !kind.inStores)
      throw notConfirmed(`The stores of mobile platforms sell no ${kind.noun}.`)
    const verdict = await gateway.examine(chargeOf(purchase), reference)
    if (verdict.state !== 'paid') throw notConfirmed(verdict.detail)
    return { kind: 'money', reference: verdict.reference, acknowledge: verdict.acknowledge }
  } catch (error) {
    const unpaid = error instanceof DomainError && error.code === 'payment_not_confirmed'
    if (unpaid && status === 'expired') throw new DomainError(kind.problems.expired)
    if (unpaid && status === 'cancelled') throw cancelled(kind)
    // Checks only the fan's own purchases, so that another fan's payment is not disclosed.
    if (unpaid && (await hasPaid(db, kind, purchase.userId, reference))) throw usedBefore()
    throw error
  }
}

/** Whether a payment has paid a purchase of this kind of this fan. */
async function hasPaid({ read }: Database, kind: PurchaseKind, userId: string, reference: string) {
  const payment = await findPayment(read, reference)
  return payment?.kind === kind.name && (await kind.find(read, payment.purchaseId))?.userId === userId
}

/** What a completion needs: `purchaseKinds` are those that count against the limits of the fan. */
export interface CompletionDeps {
  log: Logger
  purchaseKinds: readonly PurchaseKind[]
}

/**
 * Completes a purchase of the caller. A payment that is too late is returned as an error, not thrown: it must be committed.
 */
export async function completeFor<Row extends Purchase, Lock extends Locked, Result>(
  tx: Transaction,
  { log, purchaseKinds }: CompletionDeps,
  kind: PurchaseKind<Row, Lock, Result>,
  caller: Caller,
  purchaseId: string,
  payment: Payment,
): Promise<Result | DomainError> {
  const completion = await complete(tx, purchaseKinds, kind, purchaseId, payment, caller)
  if (completion.outcome === 'completed') return completion.purchase
  if (completion.outcome === 'blocked') return completion.by
  if (completion.outcome === 'expired') return new DomainError(kind.problems.expired)
  if (completion.outcome === 'cancelled') return cancelled(kind)
  reportRefundDue(tx, log, completion)
  return paidInVain(kind, completion.because)
}

/** Called after a purchase is cancelled, and not awaited: a payment that still succeeds becomes `refund_due`. */
export function cancelPayment({ payments, log }: { payments: Payments; log: Logger }, charge: Charge): void {
  const { purchaseId } = charge
  cancelWithAll(payments, charge).catch(error =>
    log.warn({ purchaseId, error }, 'the payment of a cancelled purchase was not cancelled'),
  )
}

/** Logs a due refund for the operator after the commit. `bun run refund` lists and makes due refunds. */
export function reportRefundDue(tx: Transaction, log: Logger, completion: Completion<unknown>): void {
  if (completion.outcome !== 'refund_due' || !completion.newly) return
  const { purchaseId } = completion
  tx.afterCommit(() => log.error({ purchaseId }, 'refund due: paid after the hold had ended'))
}

const cancelled = ({ problems, noun }: PurchaseKind) =>
  new DomainError(problems.notPending, { detail: `The ${noun} was cancelled; start another.` })

/** The problem of a payment for a purchase that cannot be completed. */
function paidInVain({ problems, noun }: PurchaseKind, because: 'late' | 'ended' | DomainError): DomainError {
  if (because === 'late')
    return new DomainError(problems.expired, { detail: 'The payment came too late; it will be refunded.' })
  if (because === 'ended')
    return new DomainError(problems.notPending, {
      detail: `The ${noun} has ended; its payment will be refunded.`,
    })
  const detail = [because.explanation.detail, 'The payment will be refunded.'].filter(Boolean).join(' ')
  // Guarantee of the cast: members are an object or undefined.
  const members = because.members as object | undefined
  return new DomainError(because.type, { ...because.explanation, ...members, detail })
}
