/**
 * Writes the deliveries of distributed events, so that nothing is sent for a transaction that was rolled
 * back.
 */
import { insertRows } from '../../../db/bulk.ts'
import { laneOf } from '../../economy/events/event.ts'
import { bodyOf } from '../../economy/events/message.ts'
import type { EventSubscriber } from '../../economy/events/subscribers.ts'
import { listEndpoints, lockEndpoints } from './endpoints.ts'
import { matchesType, parseTypes } from './types.ts'

/** Disabled endpoints are included: their events are sent when they are enabled. */
export const webhookSubscriber: EventSubscriber = {
  async load(tx) {
    const patterns = (await listEndpoints(tx)).flatMap(({ types }) => parseTypes(types))
    return type => matchesType(patterns, type)
  },
  async distribute(tx, events) {
    const locked = await lockEndpoints(tx)
    const endpoints = locked.map(endpoint => ({ ...endpoint, types: parseTypes(endpoint.types) }))
    const deliveries = events.flatMap(event => {
      const { sequence, type, recordedAt, revision } = event
      const subscribed = endpoints.filter(
        ({ types, sinceRevision }) => sinceRevision <= revision && matchesType(types, type),
      )
      if (subscribed.length === 0) return []
      const body = bodyOf(event)
      const delivery = { userId: laneOf(event), sequence, type, body, createdAt: recordedAt }
      return subscribed.map(({ id }) => ({ endpointId: id, ...delivery, state: 'pending', attempts: 0 }))
    })
    const lanes = new Map(
      deliveries.map(({ endpointId, userId }) => [
        `${endpointId} ${userId}`,
        { endpointId, userId, nextAttemptAt: tx.now() },
      ]),
    )
    // The endpoints are locked, so no lane that exists is deleted before the commit.
    await insertRows(tx, tx.tables.webhookLanes, [...lanes.values()], 'skip')
    await insertRows(tx, tx.tables.webhookDeliveries, deliveries)
    const due = new Set(deliveries.map(({ endpointId }) => endpointId))
    await tx.spine.webhooks.claimDue?.(
      tx,
      locked.filter(({ id }) => due.has(id)),
    )
  },
}
