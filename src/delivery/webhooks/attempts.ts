/** The attempts of a delivery. Its row has the last one in columns of their own, and those before as JSON. */
import type { Tables } from '../../../db/index.ts'

type Delivery = Tables['webhookDeliveries']['$inferSelect']

export type LastAttempt = Pick<Delivery, 'attemptedAt' | 'status' | 'response' | 'earlierAttempts'>

export interface Attempt {
  /** ISO 8601. */
  attemptedAt: string
  /** Null: no complete response. */
  status: number | null
  response: string
}

/**
 * More than one round of attempts, so that a delivery that is sent again keeps the attempts of the previous
 * round.
 */
const MAX_KEPT = 20

/** All stored attempts, the oldest first. */
export function attemptsOf({ attemptedAt, status, response, earlierAttempts }: LastAttempt): Attempt[] {
  // Guarantee of the cast: only `withLastAttempt` writes the column.
  const earlier = earlierAttempts === null ? [] : (JSON.parse(earlierAttempts) as Attempt[])
  return attemptedAt === null
    ? earlier
    : [...earlier, { attemptedAt: attemptedAt.toISOString(), status, response: response ?? '' }]
}

/** What `earlierAttempts` is after the next attempt; null before the second one. */
export function withLastAttempt(delivery: LastAttempt): string | null {
  const attempts = attemptsOf(delivery).slice(-MAX_KEPT)
  return attempts.length === 0 ? null : JSON.stringify(attempts)
}
