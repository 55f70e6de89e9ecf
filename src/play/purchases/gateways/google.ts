/** Google Play: an app sells with the Billing Library, and the client completes with the token of the purchase. */

import type { GoogleConfig } from '../../../platform/config/stores.ts'
import { type Charge, notConfirmed, notRefundable, type PaymentGateway, type Verdict } from './gateway.ts'
import { createGoogleClient, type GoogleOptions } from './google-client.ts'
import { createPushReader, type Notice } from './google-push.ts'
import { priceOf, type StoreEvent } from './store.ts'

export interface GoogleGateway extends PaymentGateway {
  readonly name: 'google'
  /**
   * The event in a push of Cloud Pub/Sub; null if it needs no action. @throws DomainError `invalid_signature`,
   * `payment_gateway_unavailable`
   */
  readPush(authorization: string | null, body: string, now: Date): Promise<StoreEvent | null>
}

/** `google:` and the purchase token. */
const REFERENCE = /^google:([\w.~-]{1,900})$/

/** The members of a ProductPurchaseV2 that are used here. In Google's response each may be absent. */
interface StorePurchase {
  obfuscatedExternalAccountId?: string
  orderId?: string
  purchaseStateContext?: { purchaseState?: string }
  testPurchaseContext?: object
  productLineItem?: {
    productId?: string
    productOfferDetails?: { quantity?: number; refundableQuantity?: number; consumptionState?: string }
  }[]
}

export function createGoogleGateway(config: GoogleConfig, options: GoogleOptions): GoogleGateway {
  const { products, testPurchases } = config
  const { ask } = createGoogleClient(config, options)
  const readNotice = createPushReader(config, options)

  const tokenOf = (reference: string) => encodeURIComponent(REFERENCE.exec(reference)?.[1] ?? '')

  // Guarantee of the cast: the API returns this resource, and the type allows every member to be absent.
  const find = async (reference: string) =>
    (await ask(`/purchases/productsv2/tokens/${tokenOf(reference)}`)) as StorePurchase | null

  function judge(purchase: StorePurchase, charge: Charge, reference: string): Verdict {
    if (purchase.obfuscatedExternalAccountId !== charge.purchaseId) return UNKNOWN
    const state = purchase.purchaseStateContext?.purchaseState
    if (state === 'CANCELLED')
      return { state: 'mismatch', detail: 'Google Play has cancelled or refunded the payment.' }
    if (state !== 'PURCHASED') return { state: 'unpaid', detail: 'The payment is not made yet.' }
    if (purchase.testPurchaseContext && !testPurchases)
      return { state: 'mismatch', detail: 'The payment is a test, which costs nothing.' }
    const [item, ...more] = purchase.productLineItem ?? []
    const { quantity = 1, refundableQuantity = 1 } = item?.productOfferDetails ?? {}
    const isProduct = products.get(priceOf(charge))?.includes(item?.productId ?? '')
    if (!isProduct || more.length > 0 || quantity !== 1 || refundableQuantity !== 1)
      return { state: 'mismatch', detail: 'The payment is of another product than the price demands.' }
    return { state: 'paid', reference, acknowledge: true }
  }

  return {
    name: 'google',
    refunds: true,
    recognizes: reference => REFERENCE.test(reference),

    async prepare(charge) {
      const [productId] = products.get(priceOf(charge)) ?? []
      if (productId === undefined) throw notConfirmed('Google Play has no product of this price.')
      const store = { productId, accountToken: charge.purchaseId }
      return { gateway: 'google', paymentReference: null, clientSecret: null, checkoutUrl: null, store }
    },

    async examine(charge, reference) {
      if (!REFERENCE.test(reference)) return UNKNOWN
      const purchase = await find(reference)
      return purchase ? judge(purchase, charge, reference) : UNKNOWN
    },

    // A store cannot cancel a payment. If the fan still pays, a refund becomes due.
    async cancel() {},

    async acknowledge(reference) {
      const purchase = await find(reference)
      const [item] = purchase?.productLineItem ?? []
      if (!purchase || !item?.productId) return false
      if (item.productOfferDetails?.consumptionState === 'CONSUMPTION_STATE_CONSUMED') return true
      const product = encodeURIComponent(item.productId)
      // Consuming a product acknowledges it and lets the fan buy it again.
      return (await ask(`/purchases/products/${product}/tokens/${tokenOf(reference)}:consume`, {})) !== null
    },

    async refund({ isPart }, reference) {
      if (isPart) throw notRefundable('Google Play refunds whole payments only.')
      const purchase = REFERENCE.test(reference) ? await find(reference) : null
      if (!purchase) throw notRefundable('The payment was not made in Google Play.')
      if (purchase.purchaseStateContext?.purchaseState === 'CANCELLED') return
      const { orderId } = purchase
      if (!orderId) throw notRefundable('Nothing was charged for this purchase.')
      const done = await ask(`/orders/${encodeURIComponent(orderId)}:refund?revoke=true`, {})
      if (!done) throw notRefundable('Google Play refuses the refund.')
    },

    async readPush(authorization, body, now) {
      const notice = await readNotice(authorization, body, now)
      return notice && eventOf(notice)
    },
  }

  async function eventOf({ kind, token }: Notice): Promise<StoreEvent | null> {
    const reference = `google:${token}`
    if (!REFERENCE.test(reference)) return null
    const purchaseId = (await find(reference))?.obfuscatedExternalAccountId
    if (!purchaseId) return null
    return kind === 'paid'
      ? { kind, purchaseId, reference, evidence: reference }
      : { kind, purchaseId, reference }
  }
}

/** The same message for all cases, so that it does not disclose another fan's payment. */
const UNKNOWN = {
  state: 'unpaid',
  detail: 'Google Play has no payment of this token for this purchase.',
} as const
