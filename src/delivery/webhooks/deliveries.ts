/** Deliveries: one event to one endpoint. */
import { getTableColumns, sql } from 'drizzle-orm'
import { byName, firstOfEach } from '../../../db/first-of-each.ts'
import type { Reader, Transaction } from '../../../db/index.ts'
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
