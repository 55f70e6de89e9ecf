/** Sends one delivery again. */
import { and, eq } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Tables, Transaction } from '../../../db/index.ts'
import { lockEndpoints } from './endpoints.ts'

export type DeliveryKey = Pick<
  Tables['webhookDeliveries']['$inferSelect'],
  'endpointId' | 'userId' | 'sequence'
>

/**
 * Makes a delivery pending and due at once, with a full round of attempts. Pending deliveries of its fan or
 * match are sent in the order of events: earlier ones before it, later ones after it. It has the same
 * `webhook-id`, so that a receiver recognizes it. False: there is no such delivery.
 */
export async function resendDelivery(
  tx: Transaction,
  { endpointId, userId, sequence }: DeliveryKey,
): Promise<boolean> {
  const { webhookDeliveries, webhookLanes } = tx.tables
  const [endpoint] = await lockEndpoints(tx, endpointId)
  if (!endpoint) return false
  const isMeant = and(
    eq(webhookDeliveries.endpointId, endpointId),
    eq(webhookDeliveries.userId, userId),
    eq(webhookDeliveries.sequence, sequence),
  )
  const resent = await tx
    .update(webhookDeliveries)
    .set({ state: 'pending', attempts: 0 })
    .where(isMeant)
    .returning({ sequence: webhookDeliveries.sequence })
  if (resent.length === 0) return false
  const lane = { endpointId, userId, nextAttemptAt: tx.now() }
  await insertRows(tx, webhookLanes, [lane], { set: ['nextAttemptAt'] })
  await tx.spine.webhooks.claimDue?.(tx, [endpoint])
  return true
}
