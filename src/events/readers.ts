/** Rooms that react to events, in the unit of work that records them. */
import type { Reader, Transaction } from '../../db/index.ts'
import type { RecordedEvent } from './event.ts'

/** Keeps no state of its own: it reads and writes through `tx`. May record further events. */
export interface EventReader {
  /**
   * Reads what it listens for. The result stays in memory until the version of the catalogue changes: the code that changes
   * what it depends on calls `bumpVersion(tx)` (`src/catalogue/versions.ts`).
   */
  load(tx: Transaction): Promise<Listener>
  /** Takes back what it did for an event. Called once for an event, whether or not anything listens to its type now. */
  onVoid?(tx: Transaction, event: RecordedEvent): Promise<void>
  /** The ids of those events, all of one source, for which `onVoid` has something to take back. Given together with it. */
  listTaken?(reader: Reader, events: VoidableEvent[]): Promise<Set<string>>
}

export type VoidableEvent = Pick<RecordedEvent, 'userId' | 'source' | 'eventId'>

export interface Listener {
  listensTo(type: string): boolean
  /** May book points: the fan's account is locked before the event is written. */
  onEvent(tx: Transaction, event: RecordedEvent): Promise<void>
}

let registered: readonly EventReader[] | undefined

/** Called once, by the composition (`src/event-readers.ts`). Readers are called in this order. */
export function setEventReaders(readers: readonly EventReader[]): void {
  registered = readers
}

/** @throws Error if the process has not set them: an event would be recorded and nothing would react to it */
export function eventReaders(): readonly EventReader[] {
  if (!registered) throw new Error('no event readers are set: import src/event-readers.ts')
  return registered
}
