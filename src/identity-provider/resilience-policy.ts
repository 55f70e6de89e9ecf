/** Calls to the provider on a fan's behalf: few retries within a budget, and none at all while it is known to be down. */
import {
  BrokenCircuitError,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
  wrap,
} from 'cockatiel'
import { NotAskedError, ProviderError } from './fetch-json.ts'

/** Milliseconds. */
export interface ResilienceOptions {
  /** For one request, its body included. Default 2000. */
  deadlineMs?: number
  /** Before the one retry, at the most. Default 200: with two deadlines the whole stays under 5 s. */
  retryWaitMs?: number
  /** After five failures in a row, how long nothing is asked before one call tries again. Default 10000. */
  openMs?: number
}

export const DEADLINE_MS = 2_000
const RETRIES = 1
const FAILURES_TO_OPEN = 5

/** The provider itself fails. A 4xx answer is about one fan's token or requests, and must not affect other fans. */
const isOutage = (error: unknown): error is ProviderError =>
  error instanceof ProviderError &&
  !(error instanceof NotAskedError) &&
  error.kind === 'unavailable' &&
  (error.status === undefined || error.status >= 500)

/** Runs a call under the policy. Rejects with the call's own error, or with `ProviderError` `unavailable` unasked. */
export function createResiliencePolicy({ retryWaitMs = 200, openMs = 10_000 }: ResilienceOptions = {}) {
  const retrying = retry(
    handleWhen(error => isOutage(error) && error.retryAfter === undefined),
    {
      maxAttempts: RETRIES,
      backoff: new ExponentialBackoff({ initialDelay: retryWaitMs / 2, maxDelay: retryWaitMs }),
    },
  )
  const breaking = circuitBreaker(handleWhen(isOutage), {
    halfOpenAfter: openMs,
    breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN),
  })
  const policy = wrap(retrying, breaking)

  return async function call<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await policy.execute(ask)
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error
      throw new ProviderError('it has failed too often of late', 'unavailable', Math.ceil(openMs / 1000))
    }
  }
}
