/** Stripe's signed events. */

import Stripe from 'stripe'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { DisputeEvent, PaidEvent } from './gateway.ts'

export type StripeReport = { paid: PaidEvent } | { dispute: DisputeEvent }

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
   * The payment or the dispute that a signed event reports; null for every other event. A session that expires or whose payment fails
   * changes nothing: its hold has ended, or can be paid again.
   * @throws DomainError `invalid_signature`
   */
  return async (body: string, signature: string, now: Date): Promise<StripeReport | null> => {
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
      case 'charge.dispute.created':
      case 'charge.dispute.closed':
        return disputeOf(event.data.object)
      default:
        return null
    }
  }
}

function paidEvent(metadata: Stripe.Metadata | null, intent: unknown): StripeReport | null {
  const purchaseId = metadata?.purchaseId
  if (!purchaseId || typeof intent !== 'string') return null
  return { paid: { purchaseId, reference: intent, evidence: intent } }
}

/** An inquiry (`warning_…`) takes no money. */
function disputeOf({ amount, status, ...dispute }: Stripe.Dispute): StripeReport | null {
  const { payment_intent: reference, evidence_details: evidence } = dispute
  if (typeof reference !== 'string') return null
  const state = status === 'lost' ? 'lost' : status === 'won' || status === 'warning_closed' ? 'kept' : 'open'
  const answerBy = evidence?.due_by ? new Date(evidence.due_by * 1_000) : null
  return { dispute: { reference, amount, state, answerBy } }
}
