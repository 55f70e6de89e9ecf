/**
 * Makes the distributor distribute all events while there is a sink. The publisher reads them by their
 * positions.
 */
import type { EventSubscriber } from '../../economy/events/subscribers.ts'
import { findSink } from './sink.ts'

export const sinkSubscriber: EventSubscriber = {
  async load(tx) {
    const sink = await findSink(tx)
    return () => sink !== undefined
  },
}
