/**
 * Refuses a write, before any work on it, if it would wait too long for the database. `Retry-After` spreads the retries at
 * the rate at which writes complete, so that the database stays busy but is not overloaded.
 */
import type { Logger } from 'pino'
import type { WriteLoad } from '../../../../db/index.ts'

interface AdmissionOptions {
  load(): Pick<WriteLoad, 'msPerWrite' | 'oldestMs'>
  /** How long a write may have to wait. Milliseconds. */
  maxWaitMs: number
  /** Monotonic clock, in milliseconds. */
  elapsed(): number
  /** From 0 to 1. */
  random(): number
  log: Logger
}

/** Writes that begin in one turn of the event loop. A burst of writes is spread over turns, so that reads run in between. */
const MAX_PER_TURN = 64
export const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** Share by which `Retry-After` is extended at random, at most, so that clients do not retry at the same instant. */
const JITTER = 0.15
const MAX_RETRY_SECONDS = 300
const SUMMARY_EVERY_MS = 1_000

export function createWriteAdmission({ load, maxWaitMs, elapsed, random, log }: AdmissionOptions) {
  const admitted = new WeakSet<Request>()
  let inFlight = 0
  /** In the order of arrival. */
  const waiting = new Set<() => void>()
  let begunInTurn = 0
  /** Refused clients whose `Retry-After` has not passed yet. Falls at the rate at which writes complete. */
  let deferred = 0
  let deferredAt = 0
  let refused = 0

  function refuse(msPerWrite: number, waitMs: number): number {
    const now = elapsed()
    deferred = Math.max(0, deferred - (now - deferredAt) / msPerWrite) + 1
    deferredAt = now
    if (refused++ === 0) setTimeout(() => summarize(waitMs), SUMMARY_EVERY_MS).unref()
    // From when half of the queue is done: a client that comes back to a full queue is refused again.
    const seconds = ((waitMs / 2 + deferred * msPerWrite) / 1_000) * (1 + random() * JITTER)
    return Math.min(Math.ceil(seconds), MAX_RETRY_SECONDS)
  }

  /** One line for all refusals of a second: a line for each would cost more than the refusal. */
  function summarize(waitMs: number) {
    log.warn({ refused, inFlight, waitMs: Math.round(waitMs) }, 'writes refused: overloaded')
    refused = 0
  }

  function endTurn() {
    begunInTurn = 0
    for (const begin of waiting) {
      if (begunInTurn === MAX_PER_TURN) break
      begunInTurn++
      waiting.delete(begin)
      begin()
    }
    if (begunInTurn > 0) setImmediate(endTurn)
  }

  /** Null if a write may begin. Otherwise the `Retry-After` in seconds. */
  function check(request: Request): number | null {
    if (!WRITES.has(request.method)) return null
    const { msPerWrite, oldestMs } = load()
    const waitMs = Math.max(inFlight * msPerWrite, oldestMs)
    return waitMs > maxWaitMs ? refuse(msPerWrite, waitMs) : null
  }

  return {
    check,
    /** As `check`, and counts an admitted write as in flight until `end`; once a request. */
    admit(request: Request): number | null {
      if (admitted.has(request)) return null
      const retryAfter = check(request)
      if (retryAfter !== null || !WRITES.has(request.method)) return retryAfter
      admitted.add(request)
      inFlight++
      return null
    },
    /** Resolves when the work on an admitted write may begin, in the order of arrival. Undefined: at once. */
    begin(): Promise<void> | undefined {
      if (begunInTurn === 0) setImmediate(endTurn)
      if (begunInTurn === MAX_PER_TURN) return new Promise(resolve => waiting.add(resolve))
      begunInTurn++
      return undefined
    },
    /** Idempotent. Ignores requests that were not admitted. */
    end(request: Request): void {
      if (admitted.delete(request)) inFlight--
    },
  }
}
