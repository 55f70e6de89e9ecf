/** A gateway for development. It signs its own receipts: valid ones, and each kind of invalid one. No money moves. */
import { createHmac } from 'node:crypto'
import { isSameSecret } from '../../../core/constant-time.ts'
import { deriveKey } from '../../../core/derived-key.ts'
import { type Charge, notRefundable, type PaymentGateway } from './gateway.ts'

/** `foreign`: pays another purchase. A `paid` receipt that is used twice tests reuse. */
export const receiptKinds = ['paid', 'unpaid', 'partial', 'wrong_currency', 'foreign', 'forged'] as const
export type ReceiptKind = (typeof receiptKinds)[number]

export interface Sandbox extends PaymentGateway {
  readonly name: 'sandbox'
  /** A payment reference for this charge. `id` distinguishes receipts of one charge. */
  issueReceipt(charge: Charge, kind: ReceiptKind, id: string): string
}

interface Receipt extends Omit<Charge, 'expiresAt'> {
  id: string
  status: 'paid' | 'unpaid'
}

/** `secret` is any high-entropy text that all instances share. */
export function createSandbox(secret: string): Sandbox {
  const key = deriveKey(secret, 'sandbox receipts')
  const sign = (body: string) => createHmac('sha256', key).update(body).digest('base64url')

  function read(reference: string): Receipt | null {
    // Exactly two parts, so that a receipt has only one text and its reuse is detected.
    const [body = '', signature = '', ...more] = reference.split('.')
    const genuine = isSameSecret(signature, sign(body)) && more.length === 0
    return genuine ? JSON.parse(Buffer.from(body, 'base64url').toString()) : null
  }

  return {
    name: 'sandbox',
    refunds: true,
    recognizes: reference => read(reference) !== null,
    issueReceipt(charge, kind, id) {
      const { purchaseId, amount, currency } = charge
      const receipt: Receipt = {
        purchaseId,
        amount,
        currency,
        id,
        status: kind === 'unpaid' ? 'unpaid' : 'paid',
        ...(kind === 'partial' ? { amount: charge.amount - 1 } : {}),
        ...(kind === 'wrong_currency' ? { currency: charge.currency === 'XTS' ? 'XXX' : 'XTS' } : {}),
        ...(kind === 'foreign' ? { purchaseId: `not-${charge.purchaseId}` } : {}),
      }
      const body = Buffer.from(JSON.stringify(receipt)).toString('base64url')
      return `${body}.${kind === 'forged' ? sign(`${body}!`) : sign(body)}`
    },
    async prepare() {
      return {
        gateway: 'sandbox',
        paymentReference: null,
        clientSecret: null,
        checkoutUrl: null,
        store: null,
      }
    },
    async examine({ purchaseId, amount, currency }, reference) {
      const receipt = read(reference)
      if (receipt?.purchaseId !== purchaseId)
        return {
          state: 'unpaid',
          detail: 'The sandbox has no payment of this reference for this purchase.',
        }
      if (receipt.status !== 'paid') return { state: 'unpaid', detail: 'The payment is not made yet.' }
      if (receipt.amount !== amount || receipt.currency !== currency)
        return {
          state: 'mismatch',
          detail: 'The payment does not match the price in amount and currency.',
        }
      return { state: 'paid', reference }
    },
    // A receipt cannot be taken back.
    async cancel() {},
    async refund(_charge, reference) {
      // There is no money to refund, but a payment of another gateway must be refused.
      if (!read(reference)) throw notRefundable('The payment was not made with the sandbox.')
    },
  }
}
