/** Honours the provider's Retry-After (RFC 9110 §10.2.3): no request is sent before it has passed. */
import { LRUCache } from 'lru-cache'
import { NotAskedError, ProviderError } from './fetch-json.ts'

/** The least recently used pause is dropped first. The cost is one more request, which the provider can refuse again. */
const MAX_PAUSES = 10_000

/** `elapsed`: a monotonic clock, in milliseconds. */
export function createPauses(elapsed: () => number) {
  // A `max` would reserve the memory of all pauses.
  const ends = new LRUCache<string, number>({ maxSize: MAX_PAUSES, sizeCalculation: () => 1 })
  return {
    /** @throws NotAskedError with the remaining seconds */
    require(subject: string): void {
      const left = (ends.get(subject) ?? Number.NEGATIVE_INFINITY) - elapsed()
      if (left > 0) throw new NotAskedError(Math.ceil(left / 1000))
    },
    /** Starts a pause if the error has a Retry-After. */
    note(subject: string, error: unknown): void {
      if (!(error instanceof ProviderError) || error.kind !== 'unavailable') return
      if (error.retryAfter !== undefined) ends.set(subject, elapsed() + error.retryAfter * 1000)
    },
  }
}
