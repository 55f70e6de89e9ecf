/** When deliveries are attempted, and when an endpoint has failed for too long. */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Between an attempt that failed and the next one. */
const WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map(hours => hours * HOUR)]
/** Spreads attempts that became due at the same time because of an outage. */
const JITTER = 0.1

export const MAX_RETRY_AFTER_SECONDS = 86_400
/** A response of 429 without `Retry-After` pauses its endpoint this long. */
export const PAUSE_SECONDS = 30

/** An endpoint without a success for this long is disabled. */
export const MAX_FAILING_MS = 5 * DAY
/** Deliveries are deleted this long after their event. */
export const RETENTION_MS = 30 * DAY
/** The previous secret of an endpoint signs this long after a rotation. */
export const PREVIOUS_SECRET_MS = DAY

/**
 * The time of the next attempt after `attempts` failed ones; null after the last.
 * `random`: from 0 to 1. `retryAfter`: what the receiver asked for, in seconds.
 */
export function nextAttempt(
  attempts: number,
  { at, random, retryAfter = 0 }: { at: Date; random: number; retryAfter?: number | undefined },
): Date | null {
  const wait = WAITS_MS[attempts - 1]
  if (wait === undefined) return null
  const jittered = Math.round(wait * (1 - JITTER + 2 * JITTER * random))
  return new Date(at.getTime() + Math.max(jittered, retryAfter * SECOND))
}
