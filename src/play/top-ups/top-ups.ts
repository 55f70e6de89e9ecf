/** Top-ups: cash that a fan buys through the payment gateway, like any purchase with a price in money. */
import { and, asc, desc, eq, gt, lt, lte, sql } from 'drizzle-orm'
import { deleteLockedInBatches } from '../../../db/batches.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { cashProblems } from '../../economy/cash/problems.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import type { Payments } from '../purchases/gateways/create.ts'
import type { Payment } from '../purchases/means.ts'
import { type CompletionDeps, completeFor, preparePayment, verifyPaymentOf } from '../purchases/pay.ts'
import { unpaidKeptSince } from '../purchases/unpaid-holds.ts'
import { presentTopUp } from './present.ts'
import { topUpProblems } from './problems.ts'
import type { CompleteTopUp, StartTopUp } from './schema.ts'
import { type TopUpRow, topUpKind } from './top-up-kind.ts'

const { top_up_not_found } = topUpProblems

/** Time to pay. A later payment is credited too. */
const PAYABLE_MS = 30 * 60_000

/** A top-up holds nothing, but each is a row. */
const MAX_OPEN = 20

/** `currencies`: the currencies of cash. */
export async function startTopUp(
  tx: Transaction,
  { userId }: Caller,
  { amount, currency }: typeof StartTopUp.static,
  currencies: readonly string[],
) {
  if (!currencies.includes(currency)) throw new DomainError(cashProblems.cash_not_accepted)
  await lockToCount(tx, userId)
  await requireFewOpen(tx, userId)
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

/** @throws DomainError `rate_limited`, until the oldest expires */
async function requireFewOpen(tx: Transaction, userId: string): Promise<void> {
  const now = tx.clock()
  const open = await selectOpen(tx, userId, now)
  const [oldest] = open
  if (!oldest || open.length < MAX_OPEN) return
  throw new DomainError(transportProblems.rate_limited, {
    detail: `A fan can have ${MAX_OPEN} top-ups that are not paid. The next one can be started at ${oldest.expiresAt.toISOString()}.`,
    retryAfter: Math.ceil((oldest.expiresAt.getTime() - now.getTime()) / 1_000),
  })
}

const selectOpen = prepared((tx: Transaction, userId: string, now: Date) => {
  const { topUps } = tx.tables
  return tx
    .select({ expiresAt: topUps.expiresAt })
    .from(topUps)
    .where(and(eq(topUps.userId, userId), eq(topUps.status, 'pending'), gt(topUps.expiresAt, now)))
    .orderBy(asc(topUps.expiresAt))
})

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
export const completeTopUp = (
  tx: Transaction,
  deps: CompletionDeps,
  caller: Caller,
  { topUpId }: CompleteTopUp,
  payment: Payment,
) => completeFor(tx, deps, topUpKind, caller, topUpId, payment)

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

/** Deletes top-ups that were never paid, long after they expired. Returns how many. */
export function deleteUnpaidTopUps(db: Database): Promise<number> {
  const { topUps } = db.tables
  // As the index states it.
  const isUnpaid = sql`${topUps.status} = 'pending'`
  // A late payment locks the top-up too: it is paid, or deleted.
  return deleteLockedInBatches(db, topUps, tx =>
    and(isUnpaid, lte(topUps.expiresAt, unpaidKeptSince(tx.now()))),
  )
}
