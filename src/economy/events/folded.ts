/**
 * Events `points.changed` without a row: those of the entries that an event of the fan has booked, if no subscriber asks for them. The
 * row of the event has their number; their sequences follow its own, and their content is that of the entries.
 */
import { and, eq, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import type { ChainedEntry } from '../ledgers/chain.ts'
import { earnedBy, type PointsReason } from '../ledgers/reasons.ts'
import { type AppendedEntry, takeAppended } from '../points/appended-entries.ts'
import { type EntrySpan, findPlace, readEntrySpans } from '../points/entry-spans.ts'
import type { Ledgers } from '../points/ledger.ts'
import { eventOfEntry } from './entry-event.ts'
import type { EventRow } from './event.ts'
import { type EventDraft, type EventKey, findEvent, UNDECIDED } from './event-rows.ts'
import { APPLICATION } from './types.ts'

/** The type of the events that are folded. */
export const FOLDED = 'points.changed'

/**
 * Puts the entries that were booked with the drafts of a fan into the last one, after those that the unit of work has booked before.
 * Returns these fans.
 */
export function foldEntries(tx: Transaction, rows: EventDraft[], ledgers: Ledgers): Set<string> {
  const folded = new Set<string>()
  for (const [userId, row] of new Map(rows.map(row => [row.userId, row]))) {
    const before = takeAppended(tx, userId)
    if (before === null) continue
    const booked = [...before, ...ledgers.bookedBy(userId)]
    Object.assign(row, foldOf(booked))
    announceFolded(tx, booked)
    folded.add(userId)
  }
  return folded
}

/** The columns of an event into which the entries of its fan are folded, which follow each other. */
export function foldOf(entries: AppendedEntry[]) {
  const [first, last] = [entries[0], entries.at(-1)]
  return first && last
    ? { entryCount: entries.length, firstEntrySeq: first.seq, lifetimeAfter: last.lifetime }
    : UNFOLDED
}

export const UNFOLDED = { entryCount: null, firstEntrySeq: null, lifetimeAfter: null }

export function announceFolded(tx: Transaction, entries: AppendedEntry[]): void {
  for (const entry of entries) tx.spine.events.recorded.announce(tx, eventOfEntry(entry))
}

/** The rows, each followed by the events that are folded into it. */
export async function unfold(reader: Reader, rows: EventRow[]): Promise<EventRow[]> {
  const spans = rows.flatMap(row => spanOf(row) ?? [])
  if (spans.length === 0) return rows
  const entriesIn = await readEntrySpans(reader, spans)
  return rows.flatMap(row => [row, ...foldedIn(row, entriesIn)])
}

/** As `findEvent`, also for an event that is folded into another one. */
export async function findToldEvent(reader: Reader, key: EventKey): Promise<EventRow | undefined> {
  const found = await findEvent(reader, key)
  const place = found || key.source !== APPLICATION ? undefined : await findPlace(reader, key.eventId)
  if (!place) return found
  const { events } = reader.tables
  const isIn = sql`${place.seq} between ${events.firstEntrySeq} and ${events.firstEntrySeq} + ${events.entryCount} - 1`
  const rows = await reader
    .select()
    .from(events)
    .where(and(eq(events.userId, place.userId), isIn))
  return (await unfold(reader, rows)).find(({ eventId }) => eventId === key.eventId)
}

function spanOf({ userId, entryCount, firstEntrySeq: first }: EventRow): EntrySpan | null {
  return userId === null || entryCount === null || first === null
    ? null
    : { userId, first, last: first + entryCount - 1 }
}

function foldedIn(row: EventRow, entriesIn: (span: EntrySpan) => ChainedEntry[]): EventRow[] {
  const span = spanOf(row)
  if (!span || row.sequence === null) return []
  const after = row.sequence + 1 - span.first
  const folded: EventRow[] = []
  let lifetime = row.lifetimeAfter ?? 0
  for (const entry of entriesIn(span).toReversed()) {
    folded.unshift(rowOfEntry({ ...entry, lifetime }, row, after + entry.seq))
    // Guarantee of the cast: only the ledger gives entries their reason.
    lifetime -= earnedBy({ delta: entry.delta, reason: entry.reason as PointsReason })
  }
  return folded
}

/** Deleted with the data of the event, as that of its own row would be. */
function rowOfEntry(
  entry: AppendedEntry,
  { recordedAt, revision, data }: EventRow,
  sequence: number,
): EventRow {
  const { data: told, ...event } = eventOfEntry(entry)
  const written = data === null ? null : JSON.stringify(told)
  return {
    ...UNDECIDED,
    ...event,
    sequence,
    recordedAt,
    revision,
    data: written,
    digest: null,
    position: null,
  }
}
