/** Top-ups: cash that a fan buys through the payment gateway, like any purchase with a price in money. */
import { and, desc, eq, lt } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { cashProblems } from '../../economy/cash/problems.ts'
import type { Payments } from '../purchases/gateways/create.ts'
import type { Payment } from '../purchases/means.ts'
import { completeFor, preparePayment, verifyPaymentOf } from '../purchases/pay.ts'
import { presentTopUp } from './present.ts'
import { topUpProblems } from './problems.ts'
import type { CompleteTopUp, StartTopUp } from './schema.ts'
import { type TopUpRow, topUpKind } from './top-up-kind.ts'

const { top_up_not_found } = topUpProblems

/** Time to pay. A later payment is credited too. */
const PAYABLE_MS = 30 * 60_000

/** `currencies`: the currencies of cash. */
export async function startTopUp(
  tx: Transaction,
  { userId }: Caller,
  { amount, currency }: typeof StartTopUp.static,
  currencies: readonly string[],
) {
  if (!currencies.includes(currency)) throw new DomainError(cashProblems.cash_not_accepted)
  const now = tx.now()
  const topUp: TopUpRow = {
    id: tx.newId(),
    userId,
    status: 'pending',
    priceAmount: amount,
    priceCurrency: currency,
    createdAt: now,
    expiresAt: new Date(now.getTime() + PAYABLE_MS),
    completedAt: null,
    refundedAt: null,
    paymentReference: null,
  }
  await tx.insert(tx.tables.topUps).values(topUp)
  return presentTopUp(topUp, now)
}

/** Prepares the payment with the gateway, before the unit of work. */
export const prepareTopUp = (deps: Parameters<typeof preparePayment>[0], viewer: Viewer, topUpId: string) =>
  preparePayment(deps, topUpKind, viewer, topUpId)

/** Verifies the payment with the gateway, before the unit of work, which must not wait for another system. */
export const verifyTopUp = (
  deps: { db: Database; payments: Payments },
  viewer: Viewer,
  { topUpId, paymentReference }: CompleteTopUp,
): Promise<Payment> => verifyPaymentOf(deps, topUpKind, viewer, topUpId, paymentReference)

/** Credits a verified payment, once. */
// never insufficient_points: a top-up has no price in points.
export const completeTopUp = (tx: Transaction, log: Logger, { topUpId }: CompleteTopUp, payment: Payment) =>
  completeFor(tx, log, topUpKind, topUpId, payment)

/** A page of the caller's top-ups, newest first. */
export async function listTopUps(reader: Reader, cursors: Cursors, { userId }: Viewer, page: Page) {
  const { topUps } = reader.tables
  const list = `top-ups ${userId}`
  const before = cursors.decode(list, page.cursor)
  const rows = await reader
    .select()
    .from(topUps)
    .where(and(eq(topUps.userId, userId), before === undefined ? undefined : lt(topUps.id, before)))
    .orderBy(desc(topUps.id))
    .limit(page.limit + 1)
  const { shown, nextCursor } = cutPage(rows, page.limit, last => cursors.encode(list, last.id))
  return { topUps: shown.map(row => presentTopUp(row, reader.now())), nextCursor }
}

/** @throws DomainError `top_up_not_found`, also for another fan's */
export async function readTopUp(reader: Reader, { userId }: Viewer, topUpId: string) {
  const topUp = await topUpKind.find(reader, topUpId)
  if (!topUp || topUp.userId !== userId) throw new DomainError(top_up_not_found)
  return presentTopUp(topUp, reader.now())
}

/** Oldest first. */
export async function* exportTopUps(reader: Reader, userId: string) {
  const { topUps } = reader.tables
  const rows = eachRow({ id: topUps.id }, after =>
    reader
      .select()
      .from(topUps)
      .where(and(eq(topUps.userId, userId), after)),
  )
  for await (const row of rows) {
    const { refundedAt, paymentReference } = row
    yield { ...presentTopUp(row, reader.now()), refundedAt, paymentReference }
  }
}
