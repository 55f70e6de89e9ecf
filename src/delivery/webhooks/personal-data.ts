import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

/** Which events of a fan were sent to other systems in the last 30 days. */
export function exportDeliveries(reader: Reader, userId: string) {
  const { webhookDeliveries, webhookEndpoints } = reader.tables
  const { endpointId, sequence, type, state, createdAt, attemptedAt } = webhookDeliveries
  const endpoints = reader.select({ id: webhookEndpoints.id }).from(webhookEndpoints)
  return reader
    .select({ endpointId, sequence, type, state, createdAt, attemptedAt })
    .from(webhookDeliveries)
    .where(and(inArray(endpointId, endpoints), eq(webhookDeliveries.userId, userId)))
    .orderBy(asc(endpointId), asc(sequence))
}
