/** Rooms that send events to other systems. They get them after the commit, from the distributor (`distribute.ts`). */
import type { Transaction } from '../../../db/index.ts'
import type { SentEvent } from './event.ts'

export type DistributedEvent = SentEvent & {
  /** 1, 2, 3 … in this database: the order in which events are distributed, which is that of each fan and match. */
  position: number
  /** The revision of the catalogue at which it was recorded. */
  revision: number
}

export interface EventSubscriber {
  /**
   * Which types it asks for. The result stays in memory until the version of the catalogue changes: the code that
   * changes it calls `bumpVersion(tx)` (`src/club/catalogue/versions.ts`).
   */
  load(tx: Transaction): Promise<(type: string) => boolean>
  /**
   * Called in the unit of work that assigns positions to events, in the order of the positions. Types that it
   * asked for before, and types of other subscribers, may be among them. A subscriber without it reads events
   * by position, with its own cursor.
   */
  distribute?(tx: Transaction, events: DistributedEvent[]): Promise<void>
}
