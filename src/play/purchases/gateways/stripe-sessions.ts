/** Checkout Sessions: the fan pays on Stripe's page. A payment is stored under its PaymentIntent, as without a session. */

import type Stripe from 'stripe'
import { type Charge, notConfirmed, type PreparedPayment, type Verdict } from './gateway.ts'
import type { StripeClient } from './stripe-client.ts'
import { judge, MISMATCH, UNPAID } from './stripe-intents.ts'

/**
 * Stripe requires at least 30 minutes until the end of a session, also for a session that is created in the last second of a
 * hold.
 */
const AFTER_HOLD_SECONDS = 31 * 60

export interface CheckoutPages {
  successUrl: string
  cancelUrl: string
}

export function createSessions({ stripe, ask, ensureAttempt }: StripeClient, pages: CheckoutPages | null) {
  const retrieve = (id: string) =>
    ask('checkout.session', () =>
      stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] }),
    )

  const ensureSession = ({ purchaseId, amount, currency, expiresAt }: Charge, to: CheckoutPages) =>
    ensureAttempt<Stripe.Checkout.Session>({
      key: `session-${purchaseId}`,
      create: idempotencyKey =>
        ask('checkout.session', () =>
          stripe.checkout.sessions.create(
            {
              mode: 'payment',
              line_items: [
                {
                  quantity: 1,
                  price_data: {
                    currency: currency.toLowerCase(),
                    unit_amount: amount,
                    product_data: { name: `Purchase ${purchaseId}` },
                  },
                },
              ],
              client_reference_id: purchaseId,
              metadata: { purchaseId },
              payment_intent_data: { metadata: { purchaseId } },
              // The paid amount is compared in the currency of the price.
              adaptive_pricing: { enabled: false },
              expires_at: Math.ceil(expiresAt.getTime() / 1000) + AFTER_HOLD_SECONDS,
              success_url: to.successUrl,
              cancel_url: to.cancelUrl,
            },
            { idempotencyKey },
          ),
        ),
      retrieve,
      // A slow payment can fail days after the fan has left the page.
      hasFailed: session => session.status === 'complete' && hasFailed(intentOf(session)),
    })

  return {
    recognizes: (reference: string) => /^cs_\w{1,250}$/.test(reference),

    async prepare(charge: Charge, to: CheckoutPages): Promise<typeof PreparedPayment.static> {
      const result = await ensureSession(charge, to)
      if ('refusal' in result) throw notConfirmed('The gateway does not accept this price.')
      const { id, status, url } = result.object
      // During the hold, a session expires only when its purchase is cancelled.
      if (status === 'expired') throw notConfirmed('The payment was cancelled; start another purchase.')
      // A complete session is paid or in process, so the fan must not pay again.
      const checkoutUrl = status === 'open' ? (url ?? null) : null
      return { gateway: 'stripe', paymentReference: id, clientSecret: null, checkoutUrl, store: null }
    },

    async examine(charge: Charge, reference: string): Promise<Verdict> {
      const result = await retrieve(reference)
      if ('refusal' in result) return UNPAID
      const { object: session } = result
      const intent = intentOf(session)
      if (session.payment_status !== 'paid' || !intent) return UNPAID
      const { amount, currency } = charge
      const isPrice = session.amount_total === amount && session.currency === currency.toLowerCase()
      return isPrice ? judge(intent, charge) : MISMATCH
    },

    async cancel(charge: Charge): Promise<void> {
      if (!pages) return
      const result = await ensureSession(charge, pages)
      if ('refusal' in result || result.object.status !== 'open') return
      await ask('checkout.session', () => stripe.checkout.sessions.expire(result.object.id))
    },
  }
}

const intentOf = ({ payment_intent: intent }: Stripe.Checkout.Session) =>
  typeof intent === 'object' ? intent : null

const hasFailed = (intent: Stripe.PaymentIntent | null) =>
  intent?.status === 'requires_payment_method' || intent?.status === 'canceled'
