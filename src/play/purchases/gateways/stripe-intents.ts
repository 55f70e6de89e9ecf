/** PaymentIntents: the fan pays in the app, with Stripe's form. */

import type Stripe from 'stripe'
import { type Charge, notConfirmed, type PreparedPayment, type Verdict } from './gateway.ts'
import type { StripeClient } from './stripe-client.ts'

/** Reason of an intent that was cancelled with its purchase. No further intent is created. */
const CANCELLED = 'requested_by_customer'

export function createIntents({ stripe, ask, ensureAttempt }: StripeClient) {
  const retrieve = (id: string) =>
    ask('payment_intent', () => stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] }))

  const ensureIntent = ({ purchaseId, amount, currency }: Charge) =>
    ensureAttempt<Stripe.PaymentIntent>({
      key: purchaseId,
      create: idempotencyKey =>
        ask('payment_intent', () =>
          stripe.paymentIntents.create(
            {
              amount,
              currency: currency.toLowerCase(),
              automatic_payment_methods: { enabled: true },
              metadata: { purchaseId },
            },
            { idempotencyKey },
          ),
        ),
      retrieve,
      // After a declined card, the intent can be paid with another card.
      hasFailed: ({ status, cancellation_reason: reason }) => status === 'canceled' && reason !== CANCELLED,
    })

  return {
    recognizes: (reference: string) => /^pi_\w{1,250}$/.test(reference),

    async prepare(charge: Charge): Promise<typeof PreparedPayment.static> {
      const result = await ensureIntent(charge)
      // The amount is too small, or the account does not accept the currency.
      if ('refusal' in result) throw notConfirmed('The gateway does not accept this price.')
      const { id, client_secret: clientSecret } = result.object
      return { gateway: 'stripe', paymentReference: id, clientSecret, checkoutUrl: null, store: null }
    },

    async examine(charge: Charge, reference: string): Promise<Verdict> {
      const result = await retrieve(reference)
      return 'refusal' in result ? UNPAID : judge(result.object, charge)
    },

    async cancel(charge: Charge): Promise<void> {
      // If there is no intent, one is created and cancelled, so that a concurrent preparation gets the cancelled one.
      const result = await ensureIntent(charge)
      if ('refusal' in result || result.object.status === 'canceled') return
      // Stripe refuses if the payment was made. It is refunded when its event arrives.
      await ask('payment_intent', () =>
        stripe.paymentIntents.cancel(result.object.id, { cancellation_reason: CANCELLED }),
      )
    },
  }
}

/** `intent` has its latest charge expanded. */
export function judge(intent: Stripe.PaymentIntent, charge: Charge): Verdict {
  if (intent.status !== 'succeeded') return UNPAID
  return pays(intent, charge) ? { state: 'paid', reference: intent.id } : MISMATCH
}

const detail = 'Stripe has no completed payment of this reference for this purchase and price.'
export const UNPAID = { state: 'unpaid', detail } as const
export const MISMATCH = { state: 'mismatch', detail } as const

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
