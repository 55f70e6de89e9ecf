/** Payment with money: what every gateway must be able to say. Points need none: the ledger pays them. */

export interface Charge {
  purchaseId: string
  /** Minor units. */
  amount: number
  /** ISO 4217, in capitals. */
  currency: string
}

/** What a client needs to pay with the gateway's own form. */
interface PreparedPayment {
  gateway: 'sandbox' | 'stripe'
  /** The `paymentReference` to complete with; null where the gateway gives it only after paying. */
  paymentReference: string | null
  /** For the gateway's client library; null where it has none. */
  clientSecret: string | null
}

export interface PaymentGateway {
  readonly name: 'sandbox' | 'stripe'
  /** Whether the reference is of this gateway: what another took, it cannot give back. */
  recognizes(reference: string): boolean
  /**
   * Asks for the payment, once however often it is called.
   * @throws DomainError `payment_not_confirmed` (the price is not taken), `payment_gateway_unavailable`
   */
  prepare(charge: Charge): Promise<PreparedPayment>
  /**
   * Whether `reference` paid this charge in full, in its currency, for this purchase.
   * @throws DomainError `payment_not_confirmed`, `payment_gateway_unavailable`
   */
  confirm(charge: Charge, reference: string): Promise<void>
  /**
   * Gives the money back, once however often it is asked.
   * @throws DomainError `not_refundable` (a payment of another gateway, or refused), `payment_gateway_unavailable`
   */
  refund(charge: Charge, reference: string): Promise<void>
}
