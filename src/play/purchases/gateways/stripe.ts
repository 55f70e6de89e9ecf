/** Stripe: a PaymentIntent per purchase, in the app or on the page of a Checkout Session. Its id is the reference. */

import type { StripeConfig } from '../../../platform/config/payments.ts'
import { notRefundable, type PaymentGateway, type StripeEvent } from './gateway.ts'
import { createStripeClient, type StripeOptions } from './stripe-client.ts'
import { createEventReader, type StripeReport, verifyStripeSignature } from './stripe-events.ts'
import { createIntents, UNPAID } from './stripe-intents.ts'
import { createRecords, type GatewayRecords } from './stripe-records.ts'
import { createSessions } from './stripe-sessions.ts'

export type { StripeOptions } from './stripe-client.ts'

export interface StripeGateway extends PaymentGateway {
  readonly name: 'stripe'
  /** @throws DomainError `invalid_signature` */
  verifySignature(delivery: { body: string; signature: string; now: Date }): Promise<void>
  /**
   * The payment or dispute in a signed event; null for every other event. @throws DomainError `validation_failed`,
   * `payment_gateway_unavailable`
   */
  readEvent(event: StripeEvent): Promise<StripeReport | null>
  records: GatewayRecords
}

export function createStripeGateway(config: StripeConfig, options: StripeOptions = {}): StripeGateway {
  const client = createStripeClient(config, options)
  const { stripe, ask } = client
  const { checkout } = config
  const intents = createIntents(client)
  const sessions = createSessions(client, checkout)
  const records = createRecords(client)

  return {
    name: 'stripe',
    refunds: true,
    recognizes: reference => intents.recognizes(reference) || sessions.recognizes(reference),
    prepare: charge => (checkout ? sessions.prepare(charge, checkout) : intents.prepare(charge)),

    async examine(charge, reference) {
      // Accepts both kinds, since the setting may have changed since the payment was prepared.
      if (intents.recognizes(reference)) return intents.examine(charge, reference)
      return sessions.recognizes(reference) ? sessions.examine(charge, reference) : UNPAID
    },

    cancel: charge => (checkout ? sessions : intents).cancel(charge),

    async refund({ purchaseId, amount, isPart }, reference) {
      if (!intents.recognizes(reference)) throw notRefundable('The payment was not made with Stripe.')
      if (isPart && (await records.hasRefund(reference, purchaseId))) return
      const part = isPart ? { amount, metadata: { refund: purchaseId } } : {}
      const result = await ask('refund', () =>
        stripe.refunds.create(
          { payment_intent: reference, ...part },
          { idempotencyKey: `refund-${purchaseId}` },
        ),
      )
      // Stripe deletes an idempotency key after a day, but not the refund.
      if ('refusal' in result) {
        if (result.refusal === 'charge_already_refunded') return
        throw notRefundable(`Stripe refuses the refund: ${result.refusal}.`)
      }
      const { status } = result.object
      if (status === 'failed' || status === 'canceled') throw notRefundable(`Stripe’s refund is ${status}.`)
    },

    verifySignature: delivery => verifyStripeSignature(config.webhookSecret, delivery),
    readEvent: createEventReader(client),
    records,
  }
}
