/** The App Store: an app sells with StoreKit 2, and the client completes with the transaction that Apple has signed. */

import {
  Environment,
  type JWSTransactionDecodedPayload,
  SignedDataVerifier,
} from '@apple/app-store-server-library'
import { attempt } from '../../../core/attempt.ts'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { AppleConfig } from '../../../platform/config/stores.ts'
import { appleRoot } from './apple-root.ts'
import { type Charge, notConfirmed, notRefundable, type PaymentGateway, type Verdict } from './gateway.ts'
import { priceOf, type StoreEvent } from './store.ts'

export interface AppleGateway extends PaymentGateway {
  readonly name: 'apple'
  /** The event in a notification of the App Store; null if it needs no action. @throws DomainError `invalid_signature` */
  readNotification(body: string): Promise<StoreEvent | null>
}

/** Signed transactions are JWS. Only the id of the transaction is stored. */
const TRANSACTION = /^[\w-]+\.[\w-]+\.[\w-]+$/
const KEPT = /^apple:\d{1,30}$/

export function createAppleGateway(config: AppleConfig): AppleGateway {
  const { bundleId, environment, appId, products, rootCertificate } = config
  const roots = [Buffer.from(rootCertificate ?? appleRoot())]
  // Without online checks, certificates are checked for the time of the signature, and no request to Apple is needed.
  const verifier = new SignedDataVerifier(
    roots,
    false,
    environment === 'production' ? Environment.PRODUCTION : Environment.SANDBOX,
    bundleId,
    appId ?? undefined,
  )

  async function readTransaction(jws: string): Promise<JWSTransactionDecodedPayload | null> {
    return verifier.verifyAndDecodeTransaction(jws).catch(() => null)
  }

  function judge(transaction: JWSTransactionDecodedPayload, charge: Charge): Verdict {
    const { transactionId, productId = '', quantity = 1, inAppOwnershipType: ownership } = transaction
    if (!transactionId || transaction.appAccountToken?.toLowerCase() !== charge.purchaseId) return UNKNOWN
    if (transaction.revocationDate !== undefined)
      return { state: 'mismatch', detail: 'Apple has refunded or revoked the transaction.' }
    const isBought = ownership === undefined || ownership === 'PURCHASED'
    if (!isBought || quantity !== 1 || !products.get(priceOf(charge))?.includes(productId))
      return { state: 'mismatch', detail: 'The transaction is of another product than the price demands.' }
    return { state: 'paid', reference: referenceOf(transactionId) }
  }

  return {
    name: 'apple',
    refunds: false,
    recognizes: reference => KEPT.test(reference) || TRANSACTION.test(reference),

    async prepare(charge) {
      const [productId] = products.get(priceOf(charge)) ?? []
      if (productId === undefined) throw notConfirmed('The App Store has no product of this price.')
      const store = { productId, accountToken: charge.purchaseId }
      return { gateway: 'apple', paymentReference: null, clientSecret: null, checkoutUrl: null, store }
    },

    async examine(charge, reference) {
      const transaction = await readTransaction(reference)
      return transaction ? judge(transaction, charge) : UNKNOWN
    },

    // A store cannot cancel a payment. If the fan still pays, a refund becomes due.
    async cancel() {},
    async refund() {
      throw notRefundable('Apple refunds its customers itself.')
    },

    async readNotification(body) {
      // Guarantee of the cast: every value has members; one without `signedPayload` is refused.
      const { signedPayload } = Object(attempt(() => JSON.parse(body))) as { signedPayload?: unknown }
      const notification =
        typeof signedPayload === 'string'
          ? await verifier.verifyAndDecodeNotification(signedPayload).catch(() => null)
          : null
      if (!notification) throw notSigned()
      const { notificationType: type, data } = notification
      const evidence = data?.signedTransactionInfo
      const transaction = evidence ? await readTransaction(evidence) : null
      if (!evidence || !transaction?.transactionId || !transaction.appAccountToken) return null
      const purchaseId = transaction.appAccountToken.toLowerCase()
      const event = { purchaseId, reference: referenceOf(transaction.transactionId) }
      if (type === 'ONE_TIME_CHARGE') return { kind: 'paid', ...event, evidence }
      if (type === 'REFUND' || type === 'REVOKE') return { kind: 'refunded', ...event }
      return type === 'REFUND_REVERSED' ? { kind: 'refund_reversed', ...event } : null
    },
  }
}

const referenceOf = (transactionId: string) => `apple:${transactionId}`

/** The same message for all cases, so that it does not disclose another fan's transaction. */
const UNKNOWN = {
  state: 'unpaid',
  detail: 'Apple has signed no transaction of this app for this purchase.',
} as const

const notSigned = () =>
  new DomainError(transportProblems.invalid_signature, {
    detail: 'The notification is not signed by Apple for this app and environment.',
    security: { event: 'webhook_signature_invalid' },
  })
