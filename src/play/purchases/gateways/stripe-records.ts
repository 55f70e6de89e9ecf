/** Lists payments and refunds at Stripe, in pages by creation time. For the reconciliation. */

import type Stripe from 'stripe'
import type { StripeClient } from './stripe-client.ts'

export interface PaymentRecord {
  reference: string
  /** Null: not a payment of this server, for example of another shop with the same account. */
  purchaseId: string | null
  paid: boolean
  /** Amount received, in minor units. */
  amount: number
  /** ISO 4217, in capitals. */
  currency: string
  createdAt: Date
}

interface RefundRecord {
  /** Reference of the payment. */
  reference: string
  purchaseId: string | null
  amount: number
  createdAt: Date
}

/** All throw DomainError `payment_gateway_unavailable`. */
export interface GatewayRecords {
  listPayments(since: Date): AsyncGenerator<PaymentRecord[]>
  /** Without failed refunds. */
  listRefunds(since: Date): AsyncGenerator<RefundRecord[]>
  /** Null: unknown to the gateway. */
  findPayment(reference: string): Promise<PaymentRecord | null>
  /** The amount that was refunded of a payment. */
  refundedAmount(reference: string): Promise<number>
  /** Whether this part of a payment was refunded: an idempotency key ends after a day. */
  hasRefund(reference: string, part: string): Promise<boolean>
}

/** Stripe's maximum. */
const PAGE = 100
type PageOf<T> = { object: 'list'; data: T[]; has_more: boolean }
type PageQuery = { limit: number; starting_after?: string }

export function createRecords({ stripe, ask }: StripeClient): GatewayRecords {
  async function* pagesOf<T extends { id: string }>(
    read: (query: PageQuery) => Promise<PageOf<T>>,
  ): AsyncGenerator<T[]> {
    let query: PageQuery = { limit: PAGE }
    for (;;) {
      const answer = await ask<PageOf<T>>('list', () => read(query))
      if ('refusal' in answer) throw new Error(`Stripe refuses its list: ${answer.refusal}`)
      const { data, has_more: more } = answer.object
      yield data
      const last = data.at(-1)
      if (!more || !last) return
      query = { limit: PAGE, starting_after: last.id }
    }
  }

  const refundsOf = (about: Stripe.RefundListParams) =>
    pagesOf(query => stripe.refunds.list({ ...about, ...query, expand: ['data.payment_intent'] }))

  return {
    async *listPayments(since) {
      const about = { created: { gte: secondsOf(since) } }
      for await (const page of pagesOf(query => stripe.paymentIntents.list({ ...about, ...query })))
        yield page.map(recordOf)
    },
    async *listRefunds(since) {
      for await (const page of refundsOf({ created: { gte: secondsOf(since) } }))
        yield page.filter(isMoney).flatMap(refundRecordOf)
    },
    async findPayment(reference) {
      const answer = await ask('payment_intent', () => stripe.paymentIntents.retrieve(reference))
      return 'refusal' in answer ? null : recordOf(answer.object)
    },
    async refundedAmount(reference) {
      let sum = 0
      for await (const page of refundsOf({ payment_intent: reference }))
        for (const { amount } of page.filter(isMoney)) sum += amount
      return sum
    },
    async hasRefund(reference, part) {
      for await (const page of refundsOf({ payment_intent: reference }))
        if (page.filter(isMoney).some(({ metadata }) => metadata?.refund === part)) return true
      return false
    },
  }
}

const secondsOf = (instant: Date) => Math.floor(instant.getTime() / 1000)
const dateOf = (seconds: number) => new Date(seconds * 1000)

const isMoney = ({ status }: Stripe.Refund) => status !== 'failed' && status !== 'canceled'

const recordOf = (intent: Stripe.PaymentIntent): PaymentRecord => ({
  reference: intent.id,
  purchaseId: intent.metadata?.purchaseId ?? null,
  paid: intent.status === 'succeeded',
  amount: intent.amount_received,
  currency: intent.currency.toUpperCase(),
  createdAt: dateOf(intent.created),
})

function refundRecordOf({ payment_intent: intent, amount, created }: Stripe.Refund): RefundRecord[] {
  if (intent === null || typeof intent === 'string') return []
  const purchaseId = intent.metadata?.purchaseId ?? null
  return [{ reference: intent.id, purchaseId, amount, createdAt: dateOf(created) }]
}
