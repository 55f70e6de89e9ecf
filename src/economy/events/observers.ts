/**
 * Rooms that look at recorded events, in their unit of work: also at those that neither rules nor readers get. An observer books no
 * points and records no event.
 */
import type { Transaction } from '../../../db/index.ts'
import type { NewEvent } from './event.ts'

export interface EventObserver {
  /** As of a reader: it stays in memory until the version of the catalogue changes. */
  load(tx: Transaction): Promise<Observation>
}

export interface Observation {
  observes(type: string): boolean
  /** Of types that it observes, in their order, once each, after they are written. */
  onRecorded(tx: Transaction, events: NewEvent[]): Promise<void>
}

/** Tells each observer of the events that it asks for. */
export async function tellObservers(
  tx: Transaction,
  observations: readonly Observation[],
  events: NewEvent[],
): Promise<void> {
  for (const { observes, onRecorded } of observations) {
    const own = events.filter(({ type }) => observes(type))
    if (own.length > 0) await onRecorded(tx, own)
  }
}
