/** Records what a fan does as one event, and calls what listens to it, in the same unit of work. */
import { and, eq, sql } from 'drizzle-orm'
import { DatabaseError, type Reader, type Transaction } from '../../db/index.ts'
import { prepared, preparedRow } from '../../db/prepared.ts'
import { currentRevision, currentVersion } from '../catalogue/versions.ts'
import { lockAccount } from '../points/ledger.ts'
import { applyRules } from '../rules/apply-rules.ts'
import { AWAITING } from './distribute.ts'
import { type EventRow, grantsOf, type NewEvent, type RecordedEvent, rowOf } from './event.ts'
import { listeningAt, mayBeSubscribed, mayBookPoints } from './listeners.ts'
import { awaiting, recorded } from './signals.ts'
import { APPLICATION, type ApplicationEventType, type DataOf } from './types.ts'

interface ApplicationEvent<T extends ApplicationEventType> {
  userId: string
  type: T
  data: DataOf<T>
  /** Given for what happens once: a second event of the same id is not recorded. */
  eventId?: string
  occurredAt?: Date
}

export interface Recorded {
  event: RecordedEvent
  /** Whether anything listens to events of this type. */
  hasListeners: boolean
  /** What rules granted. */
  grants: { ruleId: string; points: number }[]
}

/** Nothing is written for an id that was recorded before. */
type Writing = { recorded: Recorded } | { recorded: null; before: EventRow }

/**
 * Records an event of the application. Verbs call it after they have booked points: every unit of work locks the fan's
 * account first and writes the event then. Null if an event of this id was recorded before.
 */
export async function recordEvent<T extends ApplicationEventType>(
  tx: Transaction,
  { userId, type, data, eventId = tx.newId(), occurredAt = tx.now() }: ApplicationEvent<T>,
): Promise<Recorded | null> {
  const event = { source: APPLICATION, eventId, userId, type, occurredAt, data, digest: null }
  return (await writeEvent(tx, event)).recorded
}

/** As `recordEvent`, for an event of any source. Needs the user's row to exist. */
export async function writeEvent(tx: Transaction, event: NewEvent): Promise<Writing> {
  if (mayBookPoints(tx, event.type)) await lockAccount(tx, event.userId)
  const expected = mayBeSubscribed(tx, event.type)
  const written = await insertOnce(tx, event, positionOf(expected))
  if ('before' in written) return { recorded: null, before: written.before }
  const { digest: _, ...content } = event
  const own = { ...content, sequence: written.sequence, recordedAt: tx.now() }
  const version = versionOf(written)
  const { listeners, isSubscribed } = await listeningAt(tx, version)
  const subscribed = isSubscribed(event.type)
  // Another process has changed what subscribers ask for since the last load in this one.
  if (subscribed !== expected) await updateEvent(tx, keyOf(event), { position: positionOf(subscribed) })
  recorded.announce(tx, event)
  if (subscribed) awaiting.announce(tx)
  const listening = listeners.filter(listener => listener.listensTo(event.type))
  const decisions = version && (await applyRules(tx, own, version))
  if (decisions && decisions.length > 0)
    await updateEvent(tx, keyOf(event), { decisions: JSON.stringify(decisions) })
  for (const listener of listening) await listener.onEvent(tx, own)
  const hasListeners = decisions !== null || listening.length > 0 || subscribed
  return { recorded: { event: own, hasListeners, grants: grantsOf(decisions ?? []) } }
}

/** Alone: prepared statements take each member of a value as a parameter. */
const keyOf = ({ source, eventId }: EventKey): EventKey => ({ source, eventId })

const positionOf = (subscribed: boolean) => (subscribed ? AWAITING : null)

const versionOf = ({ version, revision }: { version: string | null; revision: number | null }) =>
  version === null || revision === null ? null : { version, revision }

type Change = Partial<Pick<EventRow, 'position' | 'decisions' | 'taken'>>

export const updateEvent = prepared((tx: Transaction, key: EventKey, change: Change) =>
  tx.update(tx.tables.events).set(change).where(hasKey(tx, key)),
)

/** Each failed attempt means that another unit of work has recorded an event of this fan. */
const MAX_ATTEMPTS = 1_000

/** Gives the event the next sequence of its fan, unless its id is known. */
async function insertOnce(tx: Transaction, event: NewEvent, position: number | null) {
  const row = rowOf(event, tx.now())
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const [written] = await insertNext(tx, row, position)
    if (written) return written
    const before = await findEvent(tx, event)
    if (before) return { before }
  }
  throw new DatabaseError('busy')
}

/**
 * On PostgreSQL an insert waits for one of the same sequence that is not committed, and then inserts nothing: the unique
 * index makes the sequence gapless without a lock.
 */
const insertNext = prepared((tx: Transaction, row: ReturnType<typeof rowOf>, position: number | null) => {
  const { events } = tx.tables
  const newest = sql`select max(${events.sequence}) from ${events} where ${events.userId} = ${row.userId}`
  return tx
    .insert(events)
    .values({
      ...row,
      position,
      sequence: sql`coalesce((${newest}), 0) + 1`,
      revision: currentRevision(tx),
    })
    .onConflictDoNothing()
    .returning({
      sequence: sql<number>`${events.sequence}`.mapWith(Number),
      version: currentVersion(tx),
      revision: events.revision,
    })
})

export type EventKey = Pick<EventRow, 'source' | 'eventId'>

/** The row of an event, or of a void that came before its event. */
export const findEvent = (reader: Reader, key: EventKey) => selectEvent(reader, keyOf(key))

const selectEvent = preparedRow((reader: Reader, key: EventKey) =>
  reader.select().from(reader.tables.events).where(hasKey(reader, key)),
)

export const hasKey = ({ tables: { events } }: Pick<Reader, 'tables'>, { source, eventId }: EventKey) =>
  and(eq(events.source, source), eq(events.eventId, eventId))
