/**
 * Refuses a write before any work is done for it when it would wait too long for the database. A refused client is told when
 * to come back: retries are spread at the rate at which writes are done, so that a crowd is served at full speed.
 */
import type { Logger } from 'pino'
import type { WriteLoad } from '../../db/index.ts'

export interface WriteAdmission {
  /** Null: the write may begin, and `end` follows. Else the seconds after which the client may try again. */
  begin(request: Request): number | null
  /** Safe to call for every request, as often as it ends. */
  end(request: Request): void
}

export interface AdmissionOptions {
  load(): WriteLoad
  /** How long a write may have to wait. Milliseconds. */
  maxWaitMs: number
  /** Milliseconds of a clock that never goes back. */
  elapsed(): number
  /** From 0 to 1. */
  random(): number
  log: Logger
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** Share by which a client may come later than its turn, so that a crowd does not return at one instant. */
const JITTER = 0.15
const MAX_RETRY_SECONDS = 300
const SUMMARY_EVERY_MS = 1_000

export function createWriteAdmission(options: AdmissionOptions): WriteAdmission {
  const { load, maxWaitMs, elapsed, random, log } = options
  const admitted = new WeakSet<Request>()
  let inFlight = 0
  /** Refused clients whose turn to come back has not come yet. Falls at the rate at which writes are done. */
  let deferred = 0
  let deferredAt = 0
  let refused = 0

  function refuse(msPerWrite: number, waitMs: number): number {
    const now = elapsed()
    deferred = Math.max(0, deferred - (now - deferredAt) / msPerWrite) + 1
    deferredAt = now
    if (refused++ === 0) setTimeout(() => summarize(waitMs), SUMMARY_EVERY_MS).unref()
    const seconds = ((deferred * msPerWrite) / 1_000) * (1 + random() * JITTER)
    return Math.min(Math.ceil(seconds), MAX_RETRY_SECONDS)
  }

  /** A line for each refusal would cost more than the refusal. */
  function summarize(waitMs: number) {
    log.warn({ refused, inFlight, waitMs: Math.round(waitMs) }, 'writes refused: overloaded')
    refused = 0
  }

  return {
    begin(request) {
      if (!WRITES.has(request.method)) return null
      const { msPerWrite, oldestMs } = load()
      const waitMs = Math.max(inFlight * msPerWrite, oldestMs)
      if (waitMs > maxWaitMs) return refuse(msPerWrite, waitMs)
      admitted.add(request)
      inFlight++
      return null
    },
    end(request) {
      if (admitted.delete(request)) inFlight--
    },
  }
}
