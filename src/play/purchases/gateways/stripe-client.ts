/** Requests to Stripe. Refusals are returned; temporary failures are thrown. */

import type { Logger } from 'pino'
import Stripe from 'stripe'
import { DomainError } from '../../../core/problems.ts'
import type { StripeConfig } from '../../../platform/config/payments.ts'
import { purchaseProblems } from '../problems.ts'
import { notConfirmed } from './gateway.ts'

/** Deadline of a request to Stripe. With one retry, a fan waits no longer than the sender of a webhook. */
const DEADLINE_MS = 6_000
/** The package retries with the same idempotency key. */
const RETRIES = 1
/** Attempts to pay one purchase: each follows an attempt that ended without payment. */
const MAX_ATTEMPTS = 5

export interface StripeOptions {
  /** Receives Stripe's error codes, not its messages, which may contain keys. */
  log?: Logger
  /** Sends the requests to Stripe instead of the package. */
  fetch?: ((request: Request) => Promise<Response>) | undefined
  deadlineMs?: number
  retries?: number
}

/** Stripe's object, or the code of its refusal. */
export type Answer<T> = { object: T } | { refusal: string }

export type StripeClient = ReturnType<typeof createStripeClient>

export function createStripeClient(config: StripeConfig, options: StripeOptions) {
  const stripe = new Stripe(config.secretKey, {
    timeout: options.deadlineMs ?? DEADLINE_MS,
    maxNetworkRetries: options.retries ?? RETRIES,
    telemetry: false,
    ...hostOf(config.apiBase),
    ...clientOf(options.fetch),
  })

  /** @throws DomainError `payment_gateway_unavailable` for any result other than the object or a refusal */
  async function ask<T extends { object: string }>(
    type: T['object'],
    request: () => Promise<T>,
  ): Promise<Answer<T>> {
    try {
      const object = await request()
      // The package returns the JSON error page of a proxy as if it were the object.
      if (object.object === type) return { object }
      options.log?.error({ object: type }, 'Stripe returned an unexpected object')
    } catch (error) {
      const known = error instanceof Stripe.errors.StripeError
      const { type, statusCode, code, requestId } = known ? error : ({ type: 'unknown' } as const)
      options.log?.error(
        { stripe: { type, statusCode, code, requestId } },
        'Stripe refused the request or is unavailable',
      )
      const { StripeInvalidRequestError, StripeCardError } = Stripe.errors
      if (error instanceof StripeInvalidRequestError || error instanceof StripeCardError) {
        return { refusal: code ?? type }
      }
    }
    throw new DomainError(purchaseProblems.payment_gateway_unavailable)
  }

  /**
   * The newest attempt to pay the purchase, in its current state at Stripe. Creates one if there is none, or if the last one
   * ended without payment. Idempotency keys, which Stripe keeps for a day, make repeated calls return the same attempt.
   */
  async function ensureAttempt<T extends { id: string }>(attempt: {
    /** Idempotency key of the first attempt. */
    key: string
    create(idempotencyKey: string): Promise<Answer<Stripe.Response<T>>>
    retrieve(id: string): Promise<Answer<T>>
    hasFailed(object: T): boolean
  }): Promise<Answer<T>> {
    const { key, create, retrieve, hasFailed } = attempt
    for (let number = 1; number <= MAX_ATTEMPTS; number++) {
      const made = await create(number === 1 ? key : `${key}-${number}`)
      if ('refusal' in made || !isReplayed(made.object)) return made
      // A replayed response can be outdated, so the current state is read before another charge is made.
      const current = await retrieve(made.object.id)
      if ('refusal' in current || !hasFailed(current.object)) return current
    }
    throw notConfirmed('The payment has failed too often; start another purchase.')
  }

  return { stripe, ask, ensureAttempt }
}

/** The headers are a record, or the `Headers` of the response if `fetch` is set. */
const isReplayed = ({ lastResponse }: Stripe.Response<unknown>) =>
  new Headers(lastResponse.headers).get('idempotent-replayed') === 'true'

/** The package's own client, by way of `fetch`. */
function clientOf(fetch: StripeOptions['fetch']): Stripe.StripeConfig {
  if (!fetch) return {}
  // The package passes the URL as a string.
  const send = (url: string | URL | Request, init?: RequestInit) => fetch(new Request(String(url), init))
  return { httpClient: Stripe.createFetchHttpClient(Object.assign(send, { preconnect() {} })) }
}

function hostOf(apiBase: string | null): Stripe.StripeConfig {
  if (apiBase === null) return {}
  const { hostname, port, protocol } = new URL(apiBase)
  const plain = protocol === 'http:'
  return { host: hostname, port: port || (plain ? 80 : 443), protocol: plain ? 'http' : 'https' }
}
