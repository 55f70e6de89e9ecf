/**
 * The longer a fan has held stock or points without paying, the longer they wait before the next hold, so that nobody can keep
 * a stock from others by holding it again and again.
 */
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { type Purchase, restOf } from './purchase.ts'

export type HeldPurchase = Pick<
  Purchase,
  | 'status'
  | 'priceAmount'
  | 'priceCurrency'
  | 'refundedAmount'
  | 'createdAt'
  | 'expiresAt'
  | 'completedAt'
  | 'cancelledAt'
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
 * `holds`: purchases of one kind of the fan, who is locked. Those that ended unpaid count, unless the fan has paid as much since
 * they began. @throws DomainError `rate_limited`
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
  const ended = listUnpaid(holds, now)
  const heldMs = ended.reduce((sum, { began, end }) => sum + Math.max(end - began, LEAST_MS), 0)
  const waitMs = WAITS_MS[Math.min(Math.floor(heldMs / STEP_MS), WAITS_MS.length) - 1]
  return waitMs === undefined ? null : new Date(Math.max(...ended.map(({ end }) => end)) + waitMs)
}

interface UnpaidHold {
  price: number
  currency: string
  began: number
  end: number
}

/**
 * Each payment makes up for holds that began before it and together cost no more. Otherwise a fan could end the wait for a large stock
 * with the payment of something small.
 */
function listUnpaid(holds: HeldPurchase[], now: Date): UnpaidHold[] {
  const ended = holds.flatMap((hold): UnpaidHold | [] => {
    const end = endOf(hold, now)
    const { priceAmount: price, priceCurrency: currency, createdAt } = hold
    return end === null ? [] : { price, currency, began: createdAt.getTime(), end }
  })
  const cheapestFirst = ended.toSorted((a, b) => a.price - b.price || a.began - b.began || a.end - b.end)
  return listPayments(holds).reduce(withoutPaid, cheapestFirst)
}

interface HeldPayment {
  amount: number
  currency: string
  at: number
}

/** In their order. Free purchases are no payment. */
const listPayments = (holds: HeldPurchase[]): HeldPayment[] =>
  holds
    .flatMap(hold => {
      const { status, completedAt, priceCurrency: currency } = hold
      return status === 'completed' && completedAt
        ? { amount: restOf(hold), currency, at: completedAt.getTime() }
        : []
    })
    .filter(({ amount }) => amount > 0)
    .toSorted((a, b) => a.at - b.at)

function withoutPaid(unpaid: UnpaidHold[], { amount, currency, at }: HeldPayment): UnpaidHold[] {
  let left = amount
  return unpaid.filter(hold => {
    if (hold.began > at || hold.currency !== currency || hold.price > left) return true
    left -= hold.price
    return false
  })
}

/** When a hold ended without a payment; null if it has not. */
function endOf({ status, createdAt, expiresAt, cancelledAt }: HeldPurchase, now: Date): number | null {
  if (status === 'pending' && expiresAt <= now) return expiresAt.getTime()
  return status === 'cancelled' ? (cancelledAt ?? createdAt).getTime() : null
}
