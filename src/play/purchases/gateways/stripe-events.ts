/** Stripe's signed events. */

import Stripe from 'stripe'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { PaidEvent } from './gateway.ts'

/** Maximum age of a signature; Stripe's default. */
const SIGNATURE_TOLERANCE_SECONDS = 300

export function createEventReader(stripe: Stripe, webhookSecret: string) {
  const signatures = Stripe.createSubtleCryptoProvider()

  async function verify(body: string, signature: string, now: Date): Promise<Stripe.Event> {
    const { webhooks } = stripe
    try {
      return await webhooks.constructEventAsync(
        body,
        signature,
        webhookSecret,
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
  }

  /**
   * The payment that a signed event reports; null for every other event. A session that expires or whose payment fails
   * changes nothing: its hold has ended, or can be paid again.
   * @throws DomainError `invalid_signature`
   */
  return async (body: string, signature: string, now: Date): Promise<PaidEvent | null> => {
    const event = await verify(body, signature, now)
    switch (event.type) {
      case 'payment_intent.succeeded':
        return paidEvent(event.data.object.metadata, event.data.object.id)
      case 'checkout.session.completed':
      case 'checkout.session.async_payment_succeeded': {
        const { metadata, payment_intent: intent, payment_status: status } = event.data.object
        // Unpaid when it completes with a method that takes days.
        return status === 'paid' ? paidEvent(metadata, intent) : null
      }
      default:
        return null
    }
  }
}

function paidEvent(metadata: Stripe.Metadata | null, intent: unknown): PaidEvent | null {
  const purchaseId = metadata?.purchaseId
  return purchaseId && typeof intent === 'string' ? { purchaseId, reference: intent, evidence: intent } : null
}
