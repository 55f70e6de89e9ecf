/** The rows of events: read by their keys, and inserted with the next sequences of their fans. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { insertNewRows } from '../../../db/bulk.ts'
import { ConflictError, DatabaseError, type Reader, type Transaction } from '../../../db/index.ts'
import { rowFrom } from '../../../db/insert-select.ts'
import { rowsByKeys } from '../../../db/keys.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { currentRevision } from '../../club/catalogue/versions.ts'
import { digestOf } from './digest.ts'
import type { EventRow, NewEvent } from './event.ts'
import { newestOf, readNewestSequences } from './sequences.ts'

export type EventKey = Pick<EventRow, 'source' | 'eventId'>

/** Unambiguous: no source contains a space. */
export const nameOf = ({ source, eventId }: EventKey) => `${source} ${eventId}`

/** The row of an event, or of a void that came before its event. */
export const findEvent = (reader: Reader, { source, eventId }: EventKey) =>
  selectEvent(reader, { source, eventId })

const selectEvent = preparedRow((reader: Reader, key: EventKey) =>
  reader.select().from(reader.tables.events).where(hasKey(reader, key)),
)

export const hasKey = ({ tables: { events } }: Pick<Reader, 'tables'>, { source, eventId }: EventKey) =>
  and(eq(events.source, source), eq(events.eventId, eventId))

export const readEvents: (reader: Reader, keys: EventKey[]) => Promise<EventRow[]> = rowsByKeys('events', [
  'source',
  'eventId',
])

/** The row of a new event, without its sequence. */
export type EventDraft = Omit<EventRow, 'sequence' | 'userId'> & { userId: string }

export const draftOf = (
  { source, eventId, userId, type, occurredAt, data }: NewEvent,
  recordedAt: Date,
  { revision, position, form }: Pick<EventRow, 'revision' | 'position'> & { form: 'short' | 'long' },
): EventDraft => ({
  source,
  eventId,
  userId,
  type,
  occurredAt,
  recordedAt,
  revision,
  data: JSON.stringify(data),
  position,
  digest: digestOf({ type, occurredAt, data }, form),
  ...UNDECIDED,
})

export const UNDECIDED = {
  decisions: null,
  voidedAt: null,
  voidNote: null,
  voidedFor: null,
  taken: null,
  entryCount: null,
  firstEntrySeq: null,
  lifetimeAfter: null,
}

/** `revision`: of the catalogue, as the statement reads it that inserts the event. */
interface Inserted {
  sequence: number
  revision: number | null
}

/** Each failed attempt means that another unit of work has recorded an event of this fan. */
const MAX_ATTEMPTS = 1_000

/**
 * Inserts an event with the next sequence of its fan, unless its id is known. `current`: with the current
 * revision.
 */
export async function insertEvent(
  tx: Transaction,
  row: EventDraft,
  revision: 'given' | 'current' = 'given',
): Promise<Inserted | { before: EventRow }> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const [written] = await insertNext(tx, row, revision === 'current')
    if (written) return written
    const before = await findEvent(tx, row)
    if (before) return { before }
  }
  throw new DatabaseError('busy')
}

/**
 * On PostgreSQL an insert waits for one of the same sequence that is not committed, and then inserts nothing: the unique
 * index makes the sequence gapless without a lock.
 */
const insertNext = prepared((tx: Transaction, row: EventDraft, isCurrent: boolean) => {
  const { events } = tx.tables
  const queries: Record<string, SQL> = { newest: newestOf(events, sql`${row.userId}`) }
  if (isCurrent === true) queries.revision = currentRevision(tx)
  return tx
    .insert(events)
    .select(
      rowFrom(events, queries, ({ newest, revision = row.revision }) => ({
        ...row,
        sequence: sql`coalesce(${newest}, 0) + 1`,
        revision,
      })),
    )
    .onConflictDoNothing()
    .returning({ sequence: sql<number>`${events.sequence}`.mapWith(Number), revision: events.revision })
})

/**
 * Inserts events whose ids are new, of each fan in their order, and returns their sequences. The number of statements depends
 * on how many events a fan has, not on the number of fans.
 * @throws ConflictError if another unit of work has recorded an event of the same id meanwhile
 */
export async function insertEvents(tx: Transaction, rows: EventDraft[]): Promise<number[]> {
  const sequences: number[] = []
  const byFan = [...Map.groupBy(rows.keys(), index => rows[index]?.userId).values()]
  // The first event of each fan, then the second.
  for (let nth = 0; ; nth++) {
    const round = byFan.flatMap(own => own[nth] ?? [])
    if (round.length === 0) return sequences
    for (const index of round.length === 1 ? round : await insertRound(tx, rows, round, sequences)) {
      const row = rows[index]
      const inserted = row && (await insertEvent(tx, row))
      if (!inserted || 'before' in inserted) throw new ConflictError('an event was recorded meanwhile')
      sequences[index] = inserted.sequence
    }
  }
}

/** Returns the rows that are not written: another unit of work records an event of their fan at the same time. */
async function insertRound(
  tx: Transaction,
  rows: EventDraft[],
  round: number[],
  sequences: number[],
): Promise<number[]> {
  const own = round.flatMap(index => rows[index] ?? [])
  const newest = await readNewestSequences(
    tx,
    own.map(({ userId }) => userId),
  )
  const next = own.map(row => ({ ...row, sequence: (newest.get(row.userId) ?? 0) + 1 }))
  const inserted = new Set(await insertNewRows(tx, tx.tables.events, next))
  for (const [n, index] of round.entries()) sequences[index] = next[n]?.sequence ?? 0
  return round.filter((_, n) => !next[n] || !inserted.has(next[n]))
}
