/** The interface of payment gateways. Payment with points needs no gateway. */

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
  /** When the hold ends. */
  expiresAt: Date
  /** Of a refund: another part of the payment is refunded by itself. */
  isPart?: boolean
}

/** The reference that a client sends to complete a purchase. Its maximum length fits the signed transaction of a store. */
export const PaymentReference = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description: 'The reference from the payment gateway. Omit it for points.',
})

const gatewayNames = ['sandbox', 'stripe', 'apple', 'google'] as const
type GatewayName = (typeof gatewayNames)[number]

/** Stores of mobile platforms. A client names the one of its platform. */
const storeNames = ['apple', 'google'] as const
export type StoreName = (typeof storeNames)[number]
export const isStore = ({ name }: Pick<PaymentGateway, 'name'>): boolean =>
  storeNames.some(store => store === name)

export const StoreGateway = OneOf(storeNames, {
  description:
    'The store that sells, in an app of its platform. Without it, the gateway of the server prepares.',
})

/** The data that a client needs to pay with the gateway's client library. */
export const PreparedPayment = Closed(
  {
    gateway: OneOf([...gatewayNames, 'cash'], {
      description: 'Which client library pays; none for `cash`: complete the purchase.',
    }),
    /** Null if the gateway issues it after payment. */
    paymentReference: Nullable(Type.String(), {
      description: 'The `paymentReference` to complete the purchase with, after payment.',
    }),
    clientSecret: Nullable(Type.String(), { description: 'Secret for the gateway’s client library.' }),
    checkoutUrl: Nullable(Type.String(), {
      description:
        'The page of the gateway on which the fan pays. Null if there is none, or if the fan has paid or is paying: complete the purchase.',
    }),
    store: Nullable(
      Closed({
        productId: Type.String({ description: 'The product of the store that the app sells.' }),
        accountToken: Type.String({
          description:
            'What the app passes to the store: the `appAccountToken` of StoreKit, or the obfuscated account id of Google Play.',
        }),
      }),
      { description: 'For a store; otherwise null.' },
    ),
  },
  { title: 'PreparedPayment' },
)

export type PreparedPayment = typeof PreparedPayment.static

export const examplePreparedPayment: PreparedPayment = {
  gateway: 'stripe',
  paymentReference: 'pi_3PqR',
  clientSecret: 'pi_3PqR_secret_x',
  checkoutUrl: null,
  store: null,
}

/** A gateway's judgement of a payment. `detail` is for the caller. */
export type Verdict =
  /**
   * Paid in full, in the right currency, for this purchase. `reference`: the single reference under which the payment is
   * stored. `acknowledge`: the gateway must be notified of the delivery.
   */
  | { state: 'paid'; reference: string; acknowledge?: true }
  /** Nothing was paid, or the payment is unknown. */
  | { state: 'unpaid'; detail: string }
  /** It was paid, but for another charge. */
  | { state: 'mismatch'; detail: string }

/** A payment that a gateway reports on its own. */
export interface PaidEvent {
  purchaseId: string
  /** The reference under which the payment is stored. */
  reference: string
  /** The reference that the gateway examines. */
  evidence: string
}

/** A dispute of a payment. */
export interface DisputeEvent {
  reference: string
  /** Minor units that are disputed. */
  amount: number
  /** `open`: the gateway may have taken the money already. */
  state: 'open' | 'kept' | 'lost'
  /** Deadline for the operator's answer. */
  answerBy: Date | null
}

export interface PaymentGateway {
  readonly name: GatewayName
  /** Whether this server can refund. Some stores refund their customers themselves. */
  readonly refunds: boolean
  /** Whether the payment was made with this gateway. No other gateway can examine or refund it. */
  recognizes(reference: string): boolean
  /**
   * Creates the payment; idempotent.
   * @throws DomainError `payment_not_confirmed` (the gateway does not accept the price), `payment_gateway_unavailable`
   */
  prepare(charge: Charge): Promise<PreparedPayment>
  /**
   * The payment's current state. An unknown payment and the payment of another purchase get the same message, which must not
   * disclose another fan's payment. @throws DomainError `payment_gateway_unavailable`
   */
  examine(charge: Charge, reference: string): Promise<Verdict>
  /**
   * Prevents the payment, whether or not it was prepared; idempotent. Does not change a payment that was made. @throws
   * DomainError `payment_gateway_unavailable`
   */
  cancel(charge: Charge): Promise<void>
  /**
   * Refunds the money; idempotent.
   * @throws DomainError `not_refundable` (a payment of another gateway, or refused), `payment_gateway_unavailable`
   */
  refund(charge: Charge, reference: string): Promise<void>
  /**
   * Tells the gateway that the purchase is delivered; idempotent. Returns false if the gateway refuses, for example because
   * it has refunded the payment. @throws DomainError `payment_gateway_unavailable`
   */
  acknowledge?(reference: string): Promise<boolean>
}

/**
 * The members of all events of Stripe. `data` of snapshot events and `related_object` of thin events depend on the type.
 * Declared here for the route, which does not load the package of Stripe.
 */
export const StripeEvent = Type.Object(
  { type: Type.String({ maxLength: 200 }) },
  { title: 'StripeEvent', additionalProperties: true },
)
export type StripeEvent = typeof StripeEvent.static

/** `detail`: why the payment does not pay the purchase. */
export const notConfirmed = (detail: string) =>
  new DomainError(purchaseProblems.payment_not_confirmed, { detail })

/** `detail`: why the gateway does not refund the payment. */
export const notRefundable = (detail: string) => new DomainError(purchaseProblems.not_refundable, { detail })

export const NO_GATEWAY = 'This server accepts no money: no payment gateway is configured.'
