/** What rooms share about the events of a database, in the memory of a process. */
import { createSignal } from '../../core/signal.ts'
import type { KnownListening } from './listeners.ts'
import type { EventObserver } from './observers.ts'
import type { EventReader } from './readers.ts'
import type { EventSubscriber } from './subscribers.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly events: EventsSpine
  }
}

type EventsSpine = ReturnType<typeof createEventsSpine>

interface Listeners {
  /** In the order in which they are called. */
  readers: readonly EventReader[]
  subscribers: readonly EventSubscriber[]
  observers: readonly EventObserver[]
  /** What they listen to, as loaded last: see `listeners.ts`. */
  listening?: KnownListening
}

export const createEventsSpine = (listeners: Listeners) => ({
  ...listeners,
  /** A fan has a new event. */
  recorded: createSignal<{ userId: string; type: string }>(),
  /** Events wait to be distributed. */
  awaiting: createSignal<void>(),
  /** Events have positions. */
  distributed: createSignal<void>(),
})
