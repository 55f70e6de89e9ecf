/**
 * Publishes events of several lanes (fans and matches) at the same time, and events of one lane one after
 * another: an event is sent when the stream has stored the previous one. So the order of a lane is kept after
 * any failure, and with any number of publishing processes.
 */

import { laneOf } from '../../economy/events/event.ts'
import type { PositionedEvent } from '../../economy/events/positions.ts'
import { messageOf } from './message.ts'
import type { SinkConnection } from './nats.ts'

interface PublishedBatch {
  /** All events up to this position are stored. Undefined if the first one is not. */
  position: number | undefined
  /** Set if an event was refused or not acknowledged. */
  failed: PromiseRejectedResult | undefined
}

/** Sends nothing more once `isOver`. */
export async function publishBatch(
  connection: Pick<SinkConnection, 'publish'>,
  batch: PositionedEvent[],
  isOver: () => boolean,
): Promise<PublishedBatch> {
  const stored = new Set<number>()
  const byLane = Map.groupBy(batch, ({ event }) => event && laneOf(event))
  const settled = await Promise.allSettled(
    [...byLane.values()].map(async own => {
      for (const { position, event } of own) {
        if (isOver()) return
        if (event) await connection.publish(messageOf(event))
        stored.add(position)
      }
    }),
  )
  const missing = batch.findIndex(({ position }) => !stored.has(position))
  const failed = settled.find(outcome => outcome.status === 'rejected')
  const last = missing === -1 ? batch.at(-1) : batch[missing - 1]
  return { position: last?.position, failed }
}
