/** What every payment gateway implements. Payment with points needs none. */

import { DomainError } from '../../../core/problems.ts'
import { Closed, Nullable, OneOf } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { purchaseProblems } from '../problems.ts'

export interface Charge {
  purchaseId: string
  /** Minor units. */
  amount: number
  /** ISO 4217, in capitals. */
  currency: string
}

/** The data that a client needs to pay with the gateway's client library. */
export const PreparedPayment = Closed(
  {
    gateway: OneOf(['sandbox', 'stripe'], { description: 'Which client library pays.' }),
    /** Null if the gateway issues it after payment. */
    paymentReference: Nullable(Type.String(), {
      description: 'The `paymentReference` to complete the purchase with, after payment.',
    }),
    clientSecret: Nullable(Type.String(), { description: 'Secret for the gateway’s client library.' }),
  },
  { title: 'PreparedPayment' },
)

export interface PaymentGateway {
  readonly name: 'sandbox' | 'stripe'
  /** Whether the payment was made with this gateway, which alone can refund it. */
  recognizes(reference: string): boolean
  /**
   * Creates the payment; idempotent.
   * @throws DomainError `payment_not_confirmed` (the gateway does not accept the price), `payment_gateway_unavailable`
   */
  prepare(charge: Charge): Promise<typeof PreparedPayment.static>
  /**
   * Whether `reference` paid this charge in full, in its currency, for this purchase.
   * @throws DomainError `payment_not_confirmed`, `payment_gateway_unavailable`
   */
  confirm(charge: Charge, reference: string): Promise<void>
  /**
   * Makes the payment impossible, prepared or not; idempotent. A payment that was made stays as it is.
   * @throws DomainError `payment_gateway_unavailable`
   */
  cancel(charge: Charge): Promise<void>
  /**
   * Refunds the money; idempotent.
   * @throws DomainError `not_refundable` (a payment of another gateway, or refused), `payment_gateway_unavailable`
   */
  refund(charge: Charge, reference: string): Promise<void>
}

/** `detail`: why the payment does not pay the purchase. */
export const notConfirmed = (detail: string) =>
  new DomainError(purchaseProblems.payment_not_confirmed, { detail })

/** `detail`: why the gateway does not refund the payment. */
export const notRefundable = (detail: string) => new DomainError(purchaseProblems.not_refundable, { detail })

export const NO_GATEWAY = 'This server accepts no money: no payment gateway is configured.'
