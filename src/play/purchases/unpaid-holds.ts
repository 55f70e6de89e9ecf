/**
 * The longer a fan has held stock or points without paying, the longer they wait before the next hold, so that nobody can keep
 * a stock from others by holding it again and again.
 */
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import type { Purchase } from './purchase.ts'

export type HeldPurchase = Pick<
  Purchase,
  'status' | 'priceAmount' | 'createdAt' | 'expiresAt' | 'completedAt' | 'cancelledAt'
>

const MINUTE = 60_000
/** Older purchases do not count. */
const COUNTED_MS = 7 * 86_400_000
/** The wait gets longer with each 30 minutes of holds without a payment. */
const STEP_MS = 30 * MINUTE
/** A cancelled hold counts at least this much, so that starting and cancelling has a limit too. */
const LEAST_MS = 5 * MINUTE
/** The last one is the longest wait. */
const WAITS_MS = [2, 10, 60, 360, 1440].map(minutes => minutes * MINUTE)

/** Gateways report payments for days, and fans ask about an order for weeks. */
const KEPT_MS = 90 * 86_400_000

/** Unpaid purchases that expired before this time are deleted, so that nobody can fill the database with them. */
export const unpaidKeptSince = (now: Date) => new Date(now.getTime() - KEPT_MS)

/** Purchases of a fan that began later than this must be given to `requireNoWait`. */
export const countedSince = (now: Date) => new Date(now.getTime() - COUNTED_MS)

/**
 * `holds`: purchases of one kind of the fan, who is locked. Those that ended unpaid count, unless the fan has paid since they
 * began. @throws DomainError `rate_limited`
 */
export function requireNoWait(holds: HeldPurchase[], now: Date): void {
  const until = waitsUntil(holds, now)
  if (until === null || until <= now) return
  throw new DomainError(transportProblems.rate_limited, {
    detail: `Earlier purchases were held and not paid. The next one can be started at ${until.toISOString()}.`,
    retryAfter: Math.ceil((until.getTime() - now.getTime()) / 1_000),
  })
}

/** When the fan can start the next purchase; null if they need not wait. */
export function waitsUntil(holds: HeldPurchase[], now: Date): Date | null {
  const paidAt = Math.max(...holds.map(timeOfPayment))
  const ended = holds.flatMap(hold => {
    const end = endOf(hold, now)
    const began = hold.createdAt.getTime()
    return end === null || began <= paidAt ? [] : [{ end, heldMs: Math.max(end - began, LEAST_MS) }]
  })
  const steps = Math.floor(ended.reduce((sum, { heldMs }) => sum + heldMs, 0) / STEP_MS)
  const waitMs = WAITS_MS[Math.min(steps, WAITS_MS.length) - 1]
  return waitMs === undefined ? null : new Date(Math.max(...ended.map(({ end }) => end)) + waitMs)
}

/** Free purchases are no payment. */
const timeOfPayment = ({ status, priceAmount, completedAt }: HeldPurchase) =>
  status === 'completed' && priceAmount > 0 && completedAt ? completedAt.getTime() : Number.NEGATIVE_INFINITY

/** When a hold ended without a payment; null if it has not. */
function endOf({ status, createdAt, expiresAt, cancelledAt }: HeldPurchase, now: Date): number | null {
  if (status === 'pending' && expiresAt <= now) return expiresAt.getTime()
  return status === 'cancelled' ? (cancelledAt ?? createdAt).getTime() : null
}
