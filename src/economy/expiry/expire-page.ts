/** Books points that have expired, and warns about points that expire soon, for the next fans of a pass. */
import type { Transaction } from '../../../db/index.ts'
import { lockFans } from '../../identity/users/locks.ts'
import type { NewEvent } from '../events/event.ts'
import { applicationEvent } from '../events/record-event.ts'
import { openRecording } from '../events/recording.ts'
import {
  DAY_MS,
  type ExpiryTerm,
  earnedUntil,
  expiryRef,
  firstExpiry,
  type Holding,
  listEarnings,
  listHoldings,
  readHoldings,
  WARNING_MS,
} from '../points/expiry.ts'

export interface ExpiredPage {
  /** The last fan of the page; null if there are no more. */
  cursor: string | null
  /** Fans whose points ended, and how many. */
  fans: number
  points: number
  /** Number of warnings. */
  warnings: number
  /** Fans who were left out, because their accounts do not match their ledgers. */
  mismatched: string[]
}

interface Asked {
  term: ExpiryTerm
  /** Midnight: points that expire then or before are booked. */
  day: Date
  /** The last fan before the page. */
  after: string
  limit: number
}

/** Once per fan and day: a repeat books and warns nothing. The number of statements does not depend on the number of fans. */
export async function expirePage(tx: Transaction, { term, day, after, limit }: Asked): Promise<ExpiredPage> {
  const soon = new Date(day.getTime() + WARNING_MS)
  const lasting = earnedUntil(soon, term)
  const page = await listHoldings(tx, lasting, { after, limit })
  const cursor = page.length < limit ? null : (page.at(-1)?.userId ?? null)
  const candidates = page.filter(({ balance, earned }) => balance > earned).map(({ userId }) => userId)
  const fans = await lockFans(tx, candidates)
  const active = candidates.filter(userId => fans.get(userId)?.state === 'active')
  const mismatched: string[] = []
  const result = { cursor, fans: 0, points: 0, warnings: 0, mismatched }
  if (active.length === 0) return result

  const ref = expiryRef(day, term)
  const causes = active.map(userId => ({ userId, reason: 'expired', ref }))
  const recording = await openRecording(tx, active, causes)
  // Again, under the locks of the accounts.
  const holdings = await readHoldings(tx, lasting, active)
  const earnings = Map.groupBy(
    await listEarnings(tx, active, earnedUntil(day, term), lasting),
    ({ userId }) => userId,
  )
  const warnings: NewEvent[] = []
  for (const holding of holdings) {
    const { userId } = holding
    if (!recording.ledgers.canBook(userId, 0)) {
      result.mismatched.push(userId)
      continue
    }
    const endingBy = endings(holding, earnings.get(userId) ?? [], term)
    const due = endingBy(day)
    if (due > 0) {
      const { outcome } = recording.ledgers.append({ userId, delta: -due, reason: 'expired', ref })
      if (outcome === 'booked') {
        result.fans++
        result.points += due
      }
    }
    for (let at = day.getTime() + DAY_MS; at <= soon.getTime(); at += DAY_MS) {
      const amount = endingBy(new Date(at)) - endingBy(new Date(at - DAY_MS))
      if (amount > 0) warnings.push(warningOf(tx, userId, amount, new Date(at)))
    }
  }
  await recording.load(warnings)
  for (const warning of warnings) if ((await recording.record(warning)).recorded) result.warnings++
  await recording.write()
  return result
}

/**
 * The points of a fan that have expired at a midnight: the part of the balance that exceeds the points earned
 * since.
 */
function endings(
  { balance, earned }: Holding,
  earnings: { points: number; at: Date }[],
  term: ExpiryTerm,
): (at: Date) => number {
  return at => {
    if (at < firstExpiry(term)) return 0
    const since = earnedUntil(at, term)
    const kept = earnings.reduce((sum, { points, at }) => (at >= since ? sum + points : sum), earned)
    return Math.max(balance - kept, 0)
  }
}

function warningOf(tx: Transaction, userId: string, amount: number, at: Date): NewEvent {
  const expiresAt = at.toISOString()
  const eventId = `points.expiring:${userId}:${expiresAt.slice(0, 10)}`
  return applicationEvent(tx, { userId, type: 'points.expiring', data: { amount, expiresAt }, eventId })
}
