/** Rooms that react to events, in the unit of work that records them. */
import type { Column, SQL } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import type { Ledgers } from '../points/ledger.ts'
import type { TakenGrant } from '../rules/apply-rules.ts'
import type { EventRow, NewEvent } from './event.ts'
import type { EventKey } from './event-rows.ts'

export interface Recorded {
  event: NewEvent
  /** 1, 2, 3 … per fan; set when the recording is written. */
  sequence: number
  /** Whether anything listens to events of this type. */
  hasListeners: boolean
  /** What rules granted. */
  grants: { ruleId: string; points: number }[]
}

/** Nothing is written for an id that was recorded before. */
export type Writing = { recorded: Recorded } | { recorded: null; before: EventRow }

/** Everything is in memory until `write`. */
export interface Recording {
  tx: Transaction
  /** The ledgers of the fans of the recording, in which readers book. */
  ledgers: Ledgers
  /** Reads the stored rows of these events, and the data that recording them needs, together. */
  load(events: NewEvent[]): Promise<void>
  /** Records an event of a fan of the recording, with all reactions to it. Only `load` looks up its id. */
  record(event: NewEvent): Promise<Writing>
  /** Like `record`, for an event that is already stored but that rules and readers have not seen. */
  react(event: NewEvent): Promise<Recorded>
  /** Reads the data that voiding these events needs, together. */
  loadVoids(keys: EventKey[]): Promise<void>
  /** Takes back what an event did, once. Undefined for an event that is not known, or whose void came first. */
  void(key: EventKey): Promise<Voided | undefined>
  /** The state of a reader for the fans of the recording. */
  reactionOf<Own extends Reaction>(reader: EventReader<Own>): Own
  /** Whether a fan of the recording is in the segment, by what is stored before the recording is written. */
  isInSegment(userId: string, segmentId: string): Promise<boolean>
  /** Runs for a fan after everything is written, for verbs that write themselves. */
  afterwards(userId: string, work: () => Promise<void>): void
  /** Whether further events of the fan must wait until everything is written: for what runs afterwards, or to judge segments. */
  isAwaited(userId: string): boolean
  /** Call it once. */
  write(): Promise<void>
}

export interface Voided {
  /** The grants of the event, and how many of their points were taken back. A repeat returns the same. */
  taken: TakenGrant[]
  isRepeat: boolean
}

export interface EventReader<Own extends Reaction = Reaction> {
  /**
   * Reads what it listens for. The result stays in memory until the version of the catalogue changes. Code that changes what
   * the result depends on calls `bumpVersion(tx)` (`src/club/catalogue/versions.ts`).
   */
  load(tx: Transaction): Promise<Listener<Own>>
  /** SQL: whether what it has stored names an event of the fan. A void takes that back by the id, which an erasure therefore keeps. */
  names?(tx: Transaction, userId: string, event: Record<'source' | 'eventId', Column>): SQL
}

export interface Listener<Own extends Reaction = Reaction> {
  listensTo(type: string): boolean
  /**
   * Opens its state for the fans of a recording, whose accounts are locked. Changes are in memory until
   * `write`.
   */
  open(recording: Recording): Own
}

export interface Reaction {
  /** Reads what `onEvent` needs for these events, together. */
  load(events: NewEvent[]): Promise<void>
  /** May book points and record further events of the fan. */
  onEvent(event: NewEvent): Promise<void>
  /** Reads what `onVoid` needs for these events, together. */
  loadVoids(events: NewEvent[]): Promise<void>
  /** Takes back what it did for an event. Called once for an event, whether or not it listens to its type now. */
  onVoid(event: NewEvent): Promise<void>
  write(): Promise<void>
}
