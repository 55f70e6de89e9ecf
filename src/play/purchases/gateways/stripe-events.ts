/**
 * Stripe's signed events. Snapshot events contain their object; thin events contain only its id, so the object is fetched.
 */

import Stripe from 'stripe'
import { explainFault, shorten } from '../../../core/faults.ts'
import { errorsOf, isValid } from '../../../core/formats.ts'
import { DomainError } from '../../../core/problems.ts'
import { Nullable } from '../../../core/schemas.ts'
import { refuseField, transportProblems } from '../../../core/transport-problems.ts'
import { type Static, type TSchema, Type } from '../../../core/typebox.ts'
import { purchaseProblems } from '../problems.ts'
import type { DisputeEvent, PaidEvent, StripeEvent } from './gateway.ts'
import type { Answer, StripeClient } from './stripe-client.ts'

export type StripeReport = { paid: PaidEvent } | { dispute: DisputeEvent }

/** Maximum age of a signature; Stripe's default. */
const SIGNATURE_TOLERANCE_SECONDS = 300
const THIN = 'v2.core.event'

/** @throws DomainError `invalid_signature` */
export async function verifyStripeSignature(
  webhookSecret: string,
  { body, signature, now }: { body: string; signature: string; now: Date },
): Promise<void> {
  const genuine = await Stripe.webhooks.signature
    ?.verifyHeaderAsync(
      body,
      signature,
      webhookSecret,
      SIGNATURE_TOLERANCE_SECONDS,
      Stripe.createSubtleCryptoProvider(),
      now.getTime(),
    )
    .catch(() => false)
  if (genuine) return
  throw new DomainError(transportProblems.invalid_signature, {
    detail: 'The delivery is not signed by Stripe, or its signature is too old.',
    security: { event: 'webhook_signature_invalid' },
  })
}

const Metadata = Type.Optional(Nullable(Type.Record(Type.String(), Type.String())))
const Intent = Type.Object({ id: Type.String(), metadata: Metadata })
const Session = Type.Object({
  payment_status: Type.String(),
  payment_intent: Nullable(Type.String()),
  metadata: Metadata,
})
const Dispute = Type.Object({
  amount: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  status: Type.String(),
  payment_intent: Nullable(Type.String()),
  evidence_details: Type.Optional(
    Nullable(Type.Object({ due_by: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 1e11 }))) })),
  ),
})

/** How to read the object of an event type; `fetch` is for thin events. */
interface EventKind {
  fetch(id: string): Promise<Answer<{ object: string }>>
  /** @throws DomainError `validation_failed` */
  read(object: unknown, pointer: string): StripeReport | null
}

const eventKind = <Schema extends TSchema>(
  schema: Schema,
  fetch: EventKind['fetch'],
  report: (object: Static<Schema>) => StripeReport | null,
): EventKind => ({
  fetch,
  read(object, pointer) {
    if (isValid(schema, object)) return report(object)
    const [fault] = errorsOf(schema, object)
    return refuseField({
      pointer: shorten(`${pointer}${fault?.path ?? ''}`),
      message: fault ? explainFault(fault) : 'is of another form',
    })
  },
})

export function createEventReader({ stripe, ask }: StripeClient) {
  const intent = eventKind(
    Intent,
    id => ask('payment_intent', () => stripe.paymentIntents.retrieve(id)),
    ({ id, metadata }) => paidEvent(metadata, id),
  )
  const session = eventKind(
    Session,
    id => ask('checkout.session', () => stripe.checkout.sessions.retrieve(id)),
    // A session that completes with a slow payment method is still unpaid.
    ({ metadata, payment_intent: id, payment_status: status }) =>
      status === 'paid' ? paidEvent(metadata, id) : null,
  )
  const dispute = eventKind(Dispute, id => ask('dispute', () => stripe.disputes.retrieve(id)), disputeOf)
  const kinds = new Map([
    ['payment_intent.succeeded', intent],
    ['checkout.session.completed', session],
    ['checkout.session.async_payment_succeeded', session],
    ['charge.dispute.created', dispute],
    ['charge.dispute.closed', dispute],
  ])

  /**
   * The payment or dispute in a signed event; null for every other event. An expired session or failed payment needs no
   * action: the hold has ended, or the fan can pay again. @throws DomainError `validation_failed` (members of its type are
   * missing), `payment_gateway_unavailable` (a thin event)
   */
  return async (event: StripeEvent): Promise<StripeReport | null> => {
    const { type } = event
    if (memberOf(event, 'object') !== THIN) {
      const object = memberOf(memberOf(event, 'data'), 'object')
      return kinds.get(type)?.read(object, '/data/object') ?? null
    }
    const kind = type.startsWith('v1.') ? kinds.get(type.slice('v1.'.length)) : undefined
    if (!kind) return null
    const id = memberOf(memberOf(event, 'related_object'), 'id')
    if (typeof id !== 'string')
      return refuseField({ pointer: '/related_object/id', message: 'must be a string' })
    const fetched = await kind.fetch(id)
    if ('refusal' in fetched) throw new DomainError(purchaseProblems.payment_gateway_unavailable)
    return kind.read(fetched.object, '/related_object')
  }
}

/**
 * Guarantee of the cast: every object has members; for another value the result is an object without members.
 */
const memberOf = (value: unknown, name: string) => (Object(value) as Record<string, unknown>)[name]

function paidEvent(
  metadata: Record<string, string> | null | undefined,
  intent: string | null,
): StripeReport | null {
  const purchaseId = metadata?.purchaseId
  if (!purchaseId || intent === null) return null
  return { paid: { purchaseId, reference: intent, evidence: intent } }
}

/** With an inquiry (`warning_…`), no money is withdrawn. */
function disputeOf({ amount, status, ...dispute }: Static<typeof Dispute>): StripeReport | null {
  const { payment_intent: reference, evidence_details: evidence } = dispute
  if (reference === null) return null
  const state = status === 'lost' ? 'lost' : status === 'won' || status === 'warning_closed' ? 'kept' : 'open'
  const answerBy = evidence?.due_by ? new Date(evidence.due_by * 1_000) : null
  return { dispute: { reference, amount, state, answerBy } }
}
