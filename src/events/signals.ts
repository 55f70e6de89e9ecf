/** What the units of work of this process tell each other about events. */
import { createSignal } from '../core/signal.ts'

/** A fan has a new event. */
export const recorded = createSignal<{ userId: string; type: string }>()

/** Events wait to be distributed. */
export const awaiting = createSignal<void>()
