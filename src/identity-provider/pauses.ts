/** Times to wait that the provider named (Retry-After, RFC 9110 §10.2.3): until then it is not asked again. */
import { LRUCache } from 'lru-cache'
import { NotAskedError, ProviderError } from './fetch-json.ts'

/** Past this the pause in use least is forgotten: one more request that the provider can refuse again. */
const MAX_PAUSES = 10_000

/** `elapsed`: milliseconds of a clock that never goes back. */
export function createPauses(elapsed: () => number) {
  const ends = new LRUCache<string, number>({ max: MAX_PAUSES })
  return {
    /** @throws NotAskedError with the seconds that are left */
    require(subject: string): void {
      const left = (ends.get(subject) ?? Number.NEGATIVE_INFINITY) - elapsed()
      if (left > 0) throw new NotAskedError(Math.ceil(left / 1000))
    },
    /** Begins a pause where an answer names one. */
    note(subject: string, error: unknown): void {
      if (!(error instanceof ProviderError) || error.kind !== 'unavailable') return
      if (error.retryAfter !== undefined) ends.set(subject, elapsed() + error.retryAfter * 1000)
    },
  }
}
