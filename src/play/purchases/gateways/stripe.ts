/** Stripe: a PaymentIntent per purchase. The intent's id is the payment reference. */

import type { Logger } from 'pino'
import Stripe from 'stripe'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { PaymentsConfig } from '../../../platform/config/payments.ts'
import { purchaseProblems } from '../problems.ts'
import { type Charge, notConfirmed, notRefundable, type PaymentGateway } from './gateway.ts'

/** Per request to Stripe. With one retry, a fan waits no longer than the sender of a webhook. */
const DEADLINE_MS = 6_000
/** The package retries with the same idempotency key. */
const RETRIES = 1
/** Maximum age of a signature; Stripe's default. */
const SIGNATURE_TOLERANCE_SECONDS = 300

/** `unpaid`: not succeeded, or unknown. `mismatch`: succeeded, but does not pay this charge. */
type Verdict = 'paid' | 'unpaid' | 'mismatch'

export interface PaidIntent {
  purchaseId: string
  reference: string
}

export interface StripeGateway extends PaymentGateway {
  readonly name: 'stripe'
  /** The intent's current state at Stripe. @throws DomainError `payment_gateway_unavailable` */
  examine(charge: Charge, reference: string): Promise<Verdict>
  /**
   * The purchase and intent of a signed `payment_intent.succeeded`; null for every other event.
   * @throws DomainError `invalid_signature`
   */
  readEvent(body: string, signature: string, now: Date): Promise<PaidIntent | null>
}

type StripeConfig = Extract<PaymentsConfig, { gateway: 'stripe' }>

export interface StripeOptions {
  /** Receives Stripe's error codes, not its messages, which may contain keys. */
  log?: Logger
  /** Sends the requests to Stripe instead of the package. */
  fetch?: ((request: Request) => Promise<Response>) | undefined
  deadlineMs?: number
  retries?: number
}

export function createStripeGateway(config: StripeConfig, options: StripeOptions = {}): StripeGateway {
  const stripe = new Stripe(config.secretKey, {
    timeout: options.deadlineMs ?? DEADLINE_MS,
    maxNetworkRetries: options.retries ?? RETRIES,
    telemetry: false,
    ...hostOf(config.apiBase),
    ...clientOf(options.fetch),
  })
  const signatures = Stripe.createSubtleCryptoProvider()

  /** Stripe's object, or the code of its refusal. @throws DomainError `payment_gateway_unavailable` for anything else */
  async function ask<T extends { object: string }>(
    type: T['object'],
    request: () => Promise<T>,
  ): Promise<{ object: T } | { refusal: string }> {
    try {
      const object = await request()
      // The package returns a proxy's JSON error page as if it were the object.
      if (object.object === type) return { object }
      options.log?.error({ object: type }, 'Stripe returned an unexpected object')
    } catch (error) {
      const known = error instanceof Stripe.errors.StripeError
      const { type, statusCode, code, requestId } = known ? error : ({ type: 'unknown' } as const)
      options.log?.error(
        { stripe: { type, statusCode, code, requestId } },
        'Stripe refused the request or is unavailable',
      )
      const { StripeInvalidRequestError, StripeCardError } = Stripe.errors
      if (error instanceof StripeInvalidRequestError || error instanceof StripeCardError) {
        return { refusal: code ?? type }
      }
    }
    throw new DomainError(purchaseProblems.payment_gateway_unavailable)
  }

  async function examine(charge: Charge, reference: string): Promise<Verdict> {
    if (!isIntentId(reference)) return 'unpaid'
    const result = await ask('payment_intent', () =>
      stripe.paymentIntents.retrieve(reference, { expand: ['latest_charge'] }),
    )
    if ('refusal' in result || result.object.status !== 'succeeded') return 'unpaid'
    return pays(result.object, charge) ? 'paid' : 'mismatch'
  }

  /** The purchase's intent: the idempotency key, which Stripe keeps for a day, makes it the same at each call. */
  const ensureIntent = ({ purchaseId, amount, currency }: Charge) =>
    ask('payment_intent', () =>
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

  return {
    name: 'stripe',
    recognizes: isIntentId,
    examine,

    async prepare(charge) {
      const result = await ensureIntent(charge)
      // The amount is too small, or the account does not accept the currency.
      if ('refusal' in result) throw notConfirmed('The gateway does not accept this price.')
      const { id, client_secret: clientSecret } = result.object
      return { gateway: 'stripe', paymentReference: id, clientSecret }
    },

    async confirm(charge, reference) {
      // One message for both cases: it must not disclose another fan's payment.
      if ((await examine(charge, reference)) !== 'paid')
        throw notConfirmed('Stripe has no completed payment of this reference for this purchase and price.')
    },

    async cancel(charge) {
      // Where none was prepared, an intent is created and cancelled: a preparation that is still running gets that one.
      const result = await ensureIntent(charge)
      if ('refusal' in result) return
      // Stripe refuses when the payment was made; it is refunded when its event arrives.
      await ask('payment_intent', () =>
        stripe.paymentIntents.cancel(result.object.id, { cancellation_reason: 'requested_by_customer' }),
      )
    },

    async refund({ purchaseId }, reference) {
      if (!isIntentId(reference)) throw notRefundable('The payment was not made with Stripe.')
      const result = await ask('refund', () =>
        stripe.refunds.create({ payment_intent: reference }, { idempotencyKey: `refund-${purchaseId}` }),
      )
      // Stripe deletes an idempotency key after a day, but not the refund.
      if ('refusal' in result) {
        if (result.refusal === 'charge_already_refunded') return
        throw notRefundable(`Stripe refuses the refund: ${result.refusal}.`)
      }
      const { status } = result.object
      if (status === 'failed' || status === 'canceled') throw notRefundable(`Stripe’s refund is ${status}.`)
    },

    async readEvent(body, signature, now) {
      let event: Stripe.Event
      try {
        event = await stripe.webhooks.constructEventAsync(
          body,
          signature,
          config.webhookSecret,
          SIGNATURE_TOLERANCE_SECONDS,
          signatures,
          now.getTime(),
        )
      } catch {
        throw new DomainError(transportProblems.invalid_signature, {
          detail: 'The delivery is not signed by Stripe, or its signature is too old.',
          security: { event: 'webhook_signature_invalid' },
        })
      }
      if (event.type !== 'payment_intent.succeeded') return null
      const { id, metadata } = event.data.object
      return metadata?.purchaseId ? { purchaseId: metadata.purchaseId, reference: id } : null
    },
  }
}

const isIntentId = (reference: string) => /^pi_\w{1,250}$/.test(reference)

/** Paid in full, in this currency, for this purchase, and not refunded. */
function pays(intent: Stripe.PaymentIntent, { purchaseId, amount, currency }: Charge): boolean {
  return (
    intent.amount_received === amount &&
    intent.amount === amount &&
    intent.currency === currency.toLowerCase() &&
    intent.metadata?.purchaseId === purchaseId &&
    refundedAmount(intent) === 0
  )
}

/** Refunds made in Stripe's dashboard: the intent itself stays `succeeded`. */
function refundedAmount({ latest_charge: charge }: Stripe.PaymentIntent): number {
  return typeof charge === 'object' ? (charge?.amount_refunded ?? 0) : 0
}

/** The package's own client, by way of `fetch`. */
function clientOf(fetch: StripeOptions['fetch']): Stripe.StripeConfig {
  if (!fetch) return {}
  // The package passes the URL as a string.
  const send = (url: string | URL | Request, init?: RequestInit) => fetch(new Request(String(url), init))
  return { httpClient: Stripe.createFetchHttpClient(Object.assign(send, { preconnect() {} })) }
}

function hostOf(apiBase: string | null): Stripe.StripeConfig {
  if (apiBase === null) return {}
  const { hostname, port, protocol } = new URL(apiBase)
  const plain = protocol === 'http:'
  return { host: hostname, port: port || (plain ? 80 : 443), protocol: plain ? 'http' : 'https' }
}
