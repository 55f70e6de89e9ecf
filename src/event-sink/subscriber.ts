/** Has all events distributed while there is a sink. The publisher reads them by their positions. */
import { createSignal } from '../core/signal.ts'
import type { EventSubscriber } from '../events/subscribers.ts'
import { findSink } from './sink.ts'

/** Events have positions. */
export const distributed = createSignal<void>()

export const sinkSubscriber: EventSubscriber = {
  async load(tx) {
    const sink = await findSink(tx)
    return () => sink !== undefined
  },
  async distribute(tx) {
    distributed.announce(tx)
  },
}
