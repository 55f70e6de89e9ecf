/**
 * Compares the payments of a gateway with the payments of this server, in both directions, and only reads. The gateway is
 * read first, so that payments that complete meanwhile are already in the database. A missing payment is looked up again by
 * id, since it may have been created before the period.
 */
import { and, asc, gt, gte, inArray, or } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import type { GatewayRecords, PaymentRecord } from './gateways/stripe-records.ts'
import { findOfKinds, type PurchaseKind } from './kind.ts'
import { statusOf } from './purchase.ts'

export interface Money {
  amount: number
  currency: string
}

interface Facts {
  reference: string
  purchaseId: string
}

export type Difference = Facts &
  (
    | { kind: 'payment_unknown_here'; gateway: Money; purchaseStatus: string | null }
    | { kind: 'payment_missing_there'; here: Money }
    | { kind: 'payment_differs'; here: Money & Pick<Facts, 'purchaseId'>; gateway: Money }
    | { kind: 'refund_unknown_here'; here: Money; gateway: Money }
    | { kind: 'refund_missing_there'; here: Money }
    | { kind: 'refund_differs'; here: Money; gateway: Money }
  )

export interface Reconciliation {
  /** Payments of the gateway that name a purchase, and refunds of such payments. */
  payments: number
  refunds: number
  /** Payments of this server that the gateway must know. */
  here: number
  /** Skipped payments: so recent that their completion or refund may still be in progress. */
  recent: number
}

export interface ReconcileOptions {
  since: Date
  now: Date
  onDifference: (difference: Difference) => void
  /** The number of records compared so far. May throw to stop. */
  onProgress?: (done: number) => void
}

/** Maximum delay of an event of the gateway, or of a replica of the database. */
const RECENT_MS = 10 * 60_000
const PAGE = 500

interface Source {
  reader: Reader
  kinds: readonly PurchaseKind[]
  records: GatewayRecords
  /** Whether the gateway has received the payment. */
  recognizes: (reference: string) => boolean
}

/** @throws DomainError `payment_gateway_unavailable` */
export async function reconcile(source: Source, options: ReconcileOptions): Promise<Reconciliation> {
  const { records } = source
  const { since, now, onDifference, onProgress } = options
  const report: Reconciliation = { payments: 0, refunds: 0, here: 0, recent: 0 }
  const step = () => onProgress?.(report.payments + report.refunds + report.here)
  const isRecent = ({ createdAt }: { createdAt: Date }) => now.getTime() - createdAt.getTime() < RECENT_MS

  const refunded = new Map<string, Facts & { recent: boolean }>()
  for await (const page of records.listRefunds(since)) {
    for (const refund of page) {
      const { reference, purchaseId } = refund
      if (purchaseId === null) continue
      report.refunds++
      refunded.set(reference, { reference, purchaseId, recent: isRecent(refund) })
    }
    step()
  }

  const listed = new Set<string>()
  for await (const page of records.listPayments(since)) {
    const named = page.filter(hasPurchase)
    const rows = await findHere(source, named)
    for (const payment of named) {
      report.payments++
      if (!payment.paid) continue
      listed.add(payment.reference)
      const here = rows.get(payment.reference)
      if (here) comparePayment(here, payment, onDifference)
      else if (isRecent(payment)) report.recent++
      else await reportUnknown(source, payment, refunded.has(payment.reference), options)
    }
    step()
  }

  for (const page of chunksOf([...refunded.values()])) {
    const rows = await findHere(source, page)
    for (const { recent, ...facts } of page) {
      const here = rows.get(facts.reference)
      if (!here || here.refunded) continue
      const parts = await sumParts(source, here.purchaseId)
      const amount = parts > 0 || !recent ? await records.refundedAmount(facts.reference) : 0
      if (parts > 0 && amount === parts) continue
      if (recent) report.recent++
      else if (parts > 0) reportParts({ ...here, amount: parts }, amount, onDifference)
      else {
        const gateway = { amount, currency: here.currency }
        onDifference({ kind: 'refund_unknown_here', ...facts, here: moneyOf(here), gateway })
      }
    }
  }

  for await (const page of pagesHere(source.reader, since)) {
    for (const row of page.filter(({ reference }) => source.recognizes(reference))) {
      report.here++
      const here = { ...row, refunded: row.refundedAt !== null }
      if (!listed.has(row.reference) && row.createdAt >= since) await checkMissing(source, here, onDifference)
      if (row.refundedAt && row.refundedAt >= since) await checkRefund(source, here, onDifference)
    }
    step()
  }

  for (const here of await listWithParts(source, since)) {
    if (refunded.has(here.reference) || !source.recognizes(here.reference)) continue
    reportParts(here, await records.refundedAmount(here.reference), onDifference)
  }
  return report
}

/** What gateways have refunded of a purchase, as this database says. */
async function sumParts({ reader, kinds }: Source, purchaseId: string): Promise<number> {
  const { kind } = (await findOfKinds(reader, kinds, purchaseId)) ?? {}
  return (await kind?.sumParts?.(reader, purchaseId)) ?? 0
}

/** Purchases of which a part was refunded since, each with the amount of its parts. Those that are refunded as a whole are left out. */
async function listWithParts({ reader, kinds }: Source, since: Date): Promise<Here[]> {
  const found: Here[] = []
  for (const kind of kinds)
    for (const purchase of (await kind.listWithParts?.(reader, since)) ?? []) {
      const { id: purchaseId, priceCurrency: currency, paymentReference, status } = purchase
      if (paymentReference === null || status === 'refunded') continue
      const amount = (await kind.sumParts?.(reader, purchaseId)) ?? 0
      found.push({ reference: paymentReference, purchaseId, amount, currency, refunded: false })
    }
  return found
}

/** `there`: what the gateway has refunded of the payment. */
function reportParts(
  { reference, purchaseId, ...here }: Here,
  there: number,
  onDifference: ReconcileOptions['onDifference'],
): void {
  if (there === here.amount) return
  const facts = { reference, purchaseId, here: moneyOf(here) }
  if (there === 0) onDifference({ kind: 'refund_missing_there', ...facts })
  else onDifference({ kind: 'refund_differs', ...facts, gateway: { amount: there, currency: here.currency } })
}

/** A payment in this database. */
interface Here extends Facts, Money {
  refunded: boolean
}

const moneyOf = ({ amount, currency }: Money): Money => ({ amount, currency })

type Named<T> = T & Pick<Facts, 'purchaseId'>
const hasPurchase = (payment: PaymentRecord): payment is Named<PaymentRecord> => payment.purchaseId !== null

function* chunksOf<T>(all: T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += PAGE) yield all.slice(from, from + PAGE)
}

/** Payments by reference. Purchases that are older than the table of payments have the reference themselves. */
async function findHere({ reader, kinds }: Source, wanted: Facts[]): Promise<Map<string, Here>> {
  const { payments } = reader.tables
  const references = wanted.map(({ reference }) => reference)
  const rows = await reader.select().from(payments).where(inArray(payments.reference, references))
  const found = new Map<string, Here>(
    rows.map(row => [row.reference, { ...row, refunded: row.refundedAt !== null }]),
  )
  for (const { reference, purchaseId } of wanted) {
    if (found.has(reference)) continue
    const { purchase } = (await findOfKinds(reader, kinds, purchaseId)) ?? {}
    if (purchase?.paymentReference !== reference) continue
    const { priceAmount: amount, priceCurrency: currency, status } = purchase
    found.set(reference, { reference, purchaseId, amount, currency, refunded: status === 'refunded' })
  }
  return found
}

function comparePayment(
  here: Here,
  { purchaseId, ...gateway }: Named<PaymentRecord>,
  onDifference: ReconcileOptions['onDifference'],
): void {
  const { amount, currency } = here
  const same = here.purchaseId === purchaseId && amount === gateway.amount && currency === gateway.currency
  if (same) return
  const { reference } = here
  onDifference({
    kind: 'payment_differs',
    reference,
    purchaseId,
    here: { ...moneyOf(here), purchaseId: here.purchaseId },
    gateway: moneyOf(gateway),
  })
}

async function reportUnknown(
  { reader, kinds, records }: Source,
  payment: Named<PaymentRecord>,
  wasRefunded: boolean,
  { now, onDifference }: ReconcileOptions,
): Promise<void> {
  const { reference, purchaseId, currency } = payment
  // An operator may have refunded a second payment at the gateway.
  const amount = payment.amount - (wasRefunded ? await records.refundedAmount(reference) : 0)
  if (amount <= 0) return
  const found = await findOfKinds(reader, kinds, purchaseId)
  const purchaseStatus = found ? statusOf(found.purchase, now) : null
  const gateway = { amount, currency }
  onDifference({ kind: 'payment_unknown_here', reference, purchaseId, gateway, purchaseStatus })
}

async function checkMissing(
  { records }: Source,
  here: Here,
  onDifference: ReconcileOptions['onDifference'],
): Promise<void> {
  const { reference, purchaseId } = here
  const payment = await records.findPayment(reference)
  if (payment?.paid && hasPurchase(payment)) return comparePayment(here, payment, onDifference)
  onDifference({ kind: 'payment_missing_there', reference, purchaseId, here: moneyOf(here) })
}

async function checkRefund(
  { records }: Source,
  here: Here,
  onDifference: ReconcileOptions['onDifference'],
): Promise<void> {
  const { reference, purchaseId, currency } = here
  const amount = await records.refundedAmount(reference)
  const facts = { reference, purchaseId, here: moneyOf(here) }
  if (amount === 0) onDifference({ kind: 'refund_missing_there', ...facts })
  else if (amount !== here.amount)
    onDifference({ kind: 'refund_differs', ...facts, gateway: { amount, currency } })
}

type PaymentRow = Tables['payments']['$inferSelect']

/** The payments that were made or refunded since, by reference. */
async function* pagesHere(reader: Reader, since: Date): AsyncGenerator<PaymentRow[]> {
  const { payments } = reader.tables
  for (let after = ''; ; ) {
    const page = await reader
      .select()
      .from(payments)
      .where(
        and(
          gt(payments.reference, after),
          or(gte(payments.createdAt, since), gte(payments.refundedAt, since)),
        ),
      )
      .orderBy(asc(payments.reference))
      .limit(PAGE)
    yield page
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.reference
  }
}
