/** Deliveries: one event to one endpoint, with its attempts. */
import { getTableColumns, sql } from 'drizzle-orm'
import { byName, firstOfEach } from '../../../db/first-of-each.ts'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { listed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'

/** The oldest pending delivery of each fan, in any order. */
export const findOldestPending = (tx: Transaction, endpointId: string, userIds: string[]) =>
  selectOldestPending(tx, endpointId, toList(userIds))

const selectOldestPending = prepared((tx: Transaction, endpointId: string, userIds: string) => {
  const { webhookDeliveries } = tx.tables
  const { userId, sequence, ...columns } = getTableColumns(webhookDeliveries)
  const oldest = firstOfEach(sql`${listed(tx, userIds)} as fan`, webhookDeliveries, {
    condition: sql`${columns.endpointId} = ${endpointId} and ${userId} = fan.value and ${isPending(tx)}`,
    order: sql`${sequence}`,
    limit: 1,
  })
  const found = tx
    .$with('found', getTableColumns(webhookDeliveries))
    .as(sql`select ${byName(webhookDeliveries)}.* from ${oldest}`)
  return tx
    .with(found)
    .select({
      userId: found.userId,
      sequence: found.sequence,
      body: found.body,
      attempts: found.attempts,
      // From the last attempt, which the next attempt moves to `earlierAttempts`.
      attemptedAt: found.attemptedAt,
      status: found.status,
      response: found.response,
      earlierAttempts: found.earlierAttempts,
    })
    .from(found)
})

/** Literal: a parameter would not match the partial index. */
export const isPending = ({ tables }: Pick<Transaction, 'tables'>) =>
  sql`${tables.webhookDeliveries.state} = 'pending'`

/** As the partial index of those that are not delivered. */
export const isUndelivered = ({ tables }: Pick<Reader, 'tables'>) =>
  sql`nullif(${tables.webhookDeliveries.state}, 'delivered') is not null`

/** The row has the last attempt in columns of their own, and those before as JSON. */
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

/**
 * `webhook-id`, the same at every attempt and after a replay. It contains no full stop, which separates signed parts. `lane`: see `laneOf`.
 */
export const messageId = ({ lane, sequence }: { lane: string; sequence: number }) => `evt_${lane}_${sequence}`

/** For `bun run webhooks test`: without a fan, and by default with a type that is not an event. */
export const testMessage = (id: string, at: Date, example: object = { type: 'webhook.test', data: {} }) => ({
  id: `test_${id}`,
  body: JSON.stringify({ ...example, timestamp: at }),
})
