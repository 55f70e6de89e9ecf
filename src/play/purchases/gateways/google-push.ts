/** Real-time developer notifications, as Cloud Pub/Sub pushes them: signed by an OpenID token of Google. */

import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import { attempt } from '../../../core/attempt.ts'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { GoogleConfig } from '../../../platform/config/stores.ts'
import { purchaseProblems } from '../problems.ts'
import type { GoogleOptions } from './google-client.ts'

const KEYS = 'https://www.googleapis.com/oauth2/v3/certs'
const ISSUERS = ['https://accounts.google.com', 'accounts.google.com']
const DEADLINE_MS = 5_000
/** Type of a notification about a one-time product. */
const PURCHASED = 1
/** Product type of a notification about a voided purchase. */
const ONE_TIME_PRODUCT = 2
const FULL_REFUND = 1

export interface Notice {
  kind: 'paid' | 'refunded'
  /** Token of the purchase. */
  token: string
}

export function createPushReader(
  { push, packageName, apiBase }: GoogleConfig,
  { fetch, resilience }: GoogleOptions,
) {
  const keys = createRemoteJWKSet(new URL(apiBase ? `${apiBase}/oauth2/v3/certs` : KEYS), {
    timeoutDuration: resilience?.deadlineMs ?? DEADLINE_MS,
    [customFetch]: (url, { signal, headers }) =>
      fetch(new Request(url, { signal, headers, redirect: 'manual' })),
  })

  /** @throws DomainError `invalid_signature`, `payment_gateway_unavailable` */
  async function verify(authorization: string | null, now: Date): Promise<void> {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
    if (!push || !token) throw notSigned()
    const expected = { issuer: ISSUERS, audience: push.audience, algorithms: ['RS256'], currentDate: now }
    const { payload } = await jwtVerify(token, keys, expected).catch(error => {
      // Whether the error is about the token. All other errors mean that Google's keys could not be loaded.
      const isOfToken =
        error instanceof errors.JOSEError &&
        !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) &&
        error.code !== 'ERR_JOSE_GENERIC'
      throw isOfToken ? notSigned() : new DomainError(purchaseProblems.payment_gateway_unavailable)
    })
    if (payload.email !== push.account || payload.email_verified !== true) throw notSigned()
  }

  /** Null: the notification is about another app or another product. @throws DomainError as `verify` */
  return async (authorization: string | null, body: string, now: Date): Promise<Notice | null> => {
    await verify(authorization, now)
    const { message } = objectOf(attempt(() => JSON.parse(body)))
    const data = Buffer.from(String(objectOf(message).data ?? ''), 'base64').toString()
    const notification = objectOf(attempt(() => JSON.parse(data)))
    if (notification.packageName !== packageName) return null
    const bought = objectOf(notification.oneTimeProductNotification)
    if (bought.notificationType === PURCHASED) return { kind: 'paid', token: String(bought.purchaseToken) }
    const voided = objectOf(notification.voidedPurchaseNotification)
    const isOurs = voided.productType === ONE_TIME_PRODUCT && voided.refundType === FULL_REFUND
    return isOurs ? { kind: 'refunded', token: String(voided.purchaseToken) } : null
  }
}

/**
 * Guarantee of the cast: every object has members; for another value the result is an object without members.
 */
const objectOf = (value: unknown) => Object(value) as Record<string, unknown>

const notSigned = () =>
  new DomainError(transportProblems.invalid_signature, {
    detail: 'The push has no token of Google for this audience and service account.',
    security: { event: 'webhook_signature_invalid' },
  })
