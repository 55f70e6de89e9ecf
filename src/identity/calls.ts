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
import { ProviderError } from './fetch-json.ts'

/** Milliseconds. */
export interface CallTuning {
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

const isUnavailable = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.kind === 'unavailable'

/** `elapsed`: milliseconds of a clock that never goes back. Runs a call under the policy. Rejects with the call's own error, or with `ProviderError` `unavailable` unasked. */
export function createCallPolicy(
  elapsed: () => number,
  { retryWaitMs = 200, openMs = 10_000 }: CallTuning = {},
) {
  let askedToWaitUntil = 0

  // A provider that names a time is not asked again before it: no retry, and no other call either.
  const retrying = retry(
    handleWhen(error => isUnavailable(error) && error.retryAfter === undefined),
    {
      maxAttempts: RETRIES,
      backoff: new ExponentialBackoff({ initialDelay: retryWaitMs / 2, maxDelay: retryWaitMs }),
    },
  )
  const breaking = circuitBreaker(handleWhen(isUnavailable), {
    halfOpenAfter: openMs,
    breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN),
  })
  const policy = wrap(retrying, breaking)

  return async function call<T>(ask: () => Promise<T>): Promise<T> {
    const wait = askedToWaitUntil - elapsed()
    if (wait > 0) throw new ProviderError('it asked to be left alone', 'unavailable', Math.ceil(wait / 1000))
    try {
      return await policy.execute(ask)
    } catch (error) {
      if (error instanceof BrokenCircuitError) {
        throw new ProviderError('it has failed too often of late', 'unavailable', Math.ceil(openMs / 1000))
      }
      // Only a failing provider is left alone: what it says of one fan's token, or of one fan's haste (429), must not
      // keep the others waiting.
      if (isUnavailable(error) && error.retryAfter !== undefined && error.status !== 429) {
        askedToWaitUntil = elapsed() + error.retryAfter * 1000
      }
      throw error
    }
  }
}
