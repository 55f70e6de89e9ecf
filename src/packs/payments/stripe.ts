/** Stripe: a PaymentIntent per purchase. The intent's id is the payment reference. */
import Stripe from 'stripe'
import type { PaymentsConfig } from '../../config/payments.ts'
import { DomainError } from '../../problems.ts'
import type { Charge, PaymentGateway } from './gateway.ts'

/** Milliseconds for one request to Stripe; its package tries again twice, under the same idempotency key. */
const DEADLINE_MS = 8_000

export interface StripeGateway extends PaymentGateway {
  readonly name: 'stripe'
  /**
   * The purchase and intent of a signed event that says an intent has succeeded; null for every other event.
   * @throws DomainError `invalid_signature`
   */
  readEvent(
    body: string,
    signature: string,
    now: Date,
  ): Promise<{ purchaseId: string; reference: string } | null>
}

type StripeConfig = Extract<PaymentsConfig, { gateway: 'stripe' }>

export function createStripeGateway({ secretKey, webhookSecret, apiBase }: StripeConfig): StripeGateway {
  const stripe = new Stripe(secretKey, {
    timeout: DEADLINE_MS,
    maxNetworkRetries: 2,
    telemetry: false,
    ...hostOf(apiBase),
  })
  const signatures = Stripe.createSubtleCryptoProvider()

  return {
    name: 'stripe',

    async prepare({ purchaseId, amount, currency }) {
      const intent = await ask(() =>
        stripe.paymentIntents.create(
          {
            amount,
            currency: currency.toLowerCase(),
            automatic_payment_methods: { enabled: true },
            metadata: { purchaseId },
          },
          { idempotencyKey: purchaseId },
        ),
      )
      return { gateway: 'stripe', paymentReference: intent.id, clientSecret: intent.client_secret }
    },

    async confirm(charge, reference) {
      if (!/^pi_\w+$/.test(reference)) throw new DomainError('payment_not_confirmed')
      const intent = await ask(() => stripe.paymentIntents.retrieve(reference))
      if (!pays(intent, charge)) throw new DomainError('payment_not_confirmed')
    },

    async refund({ purchaseId }, reference) {
      await ask(() =>
        stripe.refunds.create({ payment_intent: reference }, { idempotencyKey: `refund-${purchaseId}` }),
      )
    },

    async readEvent(body, signature, now) {
      let event: Stripe.Event
      try {
        const seconds = Math.floor(now.getTime() / 1000)
        event = await stripe.webhooks.constructEventAsync(
          body,
          signature,
          webhookSecret,
          300,
          signatures,
          seconds,
        )
      } catch {
        throw new DomainError('invalid_signature')
      }
      if (event.type !== 'payment_intent.succeeded') return null
      const { id, metadata } = event.data.object
      return metadata.purchaseId ? { purchaseId: metadata.purchaseId, reference: id } : null
    },
  }
}

/** In full, in its currency, for this purchase and no other. */
function pays(intent: Stripe.PaymentIntent, { purchaseId, amount, currency }: Charge): boolean {
  return (
    intent.status === 'succeeded' &&
    intent.amount_received === amount &&
    intent.amount === amount &&
    intent.currency === currency.toLowerCase() &&
    intent.metadata.purchaseId === purchaseId
  )
}

/** Stripe's refusal of what we asked means that nothing is paid; anything else that it is not there. */
async function ask<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    const refused = error instanceof Stripe.errors.StripeInvalidRequestError
    throw new DomainError(refused ? 'payment_not_confirmed' : 'payment_gateway_unavailable')
  }
}

function hostOf(apiBase: string | null): Stripe.StripeConfig {
  if (apiBase === null) return {}
  const { hostname, port, protocol } = new URL(apiBase)
  const plain = protocol === 'http:'
  return { host: hostname, port: port || (plain ? 80 : 443), protocol: plain ? 'http' : 'https' }
}
