/** Deliveries: one event to one endpoint. */
import { and, eq, inArray, or, sql } from 'drizzle-orm'
import type { Tables, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'

type Row = Tables['webhookDeliveries']['$inferSelect']
type Key = Pick<Row, 'userId' | 'sequence'>
type Outcome = Pick<Row, 'state' | 'attempts' | 'attemptedAt' | 'status' | 'answer'>

/** The oldest pending delivery of each fan. */
export const findOldestPending = prepared((tx: Transaction, endpointId: string, userIds: string[]) => {
  const { webhookDeliveries } = tx.tables
  const { userId, sequence, body, attempts } = webhookDeliveries
  const oldest = sql`(select min(o.sequence) from ${webhookDeliveries} o where o.endpoint_id = ${endpointId}
      and o.user_id = ${userId} and o.state = 'pending')`
  return tx
    .select({ userId, sequence, body, attempts })
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.endpointId, endpointId),
        inArray(userId, userIds),
        isPending(tx),
        eq(sequence, oldest),
      ),
    )
})

/** Stores the result of attempts that ended alike. */
export const storeOutcome = prepared((tx: Transaction, endpointId: string, keys: Key[], outcome: Outcome) => {
  const { webhookDeliveries } = tx.tables
  // The whole key in each branch, so that each is a look-up.
  const isOne = ({ userId, sequence }: Key) =>
    and(
      eq(webhookDeliveries.endpointId, endpointId),
      eq(webhookDeliveries.userId, userId),
      eq(webhookDeliveries.sequence, sequence),
    )
  return tx
    .update(webhookDeliveries)
    .set(outcome)
    .where(or(...keys.map(isOne)))
})

/** Literal: a parameter would not match the partial index. */
export const isPending = ({ tables }: Pick<Transaction, 'tables'>) =>
  sql`${tables.webhookDeliveries.state} = 'pending'`
