/** The resilience policy for userinfo requests and for chains: one retry, and a circuit breaker during an outage of the provider. */
import {
  BrokenCircuitError,
  CircuitState,
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
  /** For one request and its response. Default 2000. */
  deadlineMs?: number
  /** Maximum wait before the retry. Default 200: two deadlines and the wait stay under 5 s. */
  retryWaitMs?: number
  /** How long the circuit stays open after five consecutive failures. Default 10000. */
  openMs?: number
}

export const DEADLINE_MS = 2_000
const RETRIES = 1
const FAILURES_TO_OPEN = 5

/** The provider itself fails. A 4xx response concerns one fan and must not affect others. */
const isOutage = (error: unknown): error is ProviderError =>
  error instanceof ProviderError &&
  !(error instanceof NotAskedError) &&
  error.kind === 'unavailable' &&
  (error.status === undefined || error.status >= 500)

/** States of the circuit. `half_open`: the next call decides. */
export const CIRCUIT_STATES = ['closed', 'open', 'half_open'] as const
export type Circuit = (typeof CIRCUIT_STATES)[number]

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

  return {
    /** Runs a call under the policy. @throws its error, or `ProviderError` `unavailable` while the circuit is open */
    async run<T>(call: () => Promise<T>): Promise<T> {
      try {
        return await policy.execute(call)
      } catch (error) {
        if (!(error instanceof BrokenCircuitError)) throw error
        throw new ProviderError('it has failed too often recently', 'unavailable', Math.ceil(openMs / 1000))
      }
    },
    circuit(): Circuit {
      if (breaking.state === CircuitState.Closed) return 'closed'
      return breaking.state === CircuitState.HalfOpen ? 'half_open' : 'open'
    },
  }
}
