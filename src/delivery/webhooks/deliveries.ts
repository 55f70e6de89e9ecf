/** Deliveries: one event to one endpoint. */
import { and, eq, sql } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'

/** The oldest pending delivery of each fan, in any order. */
export const findOldestPending = (tx: Transaction, endpointId: string, userIds: string[]) =>
  selectOldestPending(tx, endpointId, toList(userIds))

const selectOldestPending = prepared((tx: Transaction, endpointId: string, userIds: string) => {
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
        isListed(tx, userId, userIds),
        isPending(tx),
        eq(sequence, oldest),
      ),
    )
})

/** Literal: a parameter would not match the partial index. */
export const isPending = ({ tables }: Pick<Transaction, 'tables'>) =>
  sql`${tables.webhookDeliveries.state} = 'pending'`
