/** Voids an event: takes back what it did, once. A void that comes before its event is kept, and wins. */
import { and, isNull, sql } from 'drizzle-orm'
import type { Tables, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { DomainError } from '../core/problems.ts'
import { lockAccount } from '../points/ledger.ts'
import { type TakenGrant, takeBackGrants } from '../rules/take-back-grants.ts'
import { decisionsOf, parseJson, toRecordedEvent } from './event.ts'
import { eventReaders } from './readers.ts'
import { type EventKey, findEvent, hasKey, updateEvent } from './record-event.ts'

interface Voiding extends EventKey {
  /** For operators. Deleted when the fan is erased. */
  note?: string | undefined
}

/** What the event had earned, and how much of it was taken. A repeat returns the same. */
export async function voidEvent(
  tx: Transaction,
  { source, eventId, note }: Voiding,
): Promise<TakenGrant[] | DomainError<'event_not_found'>> {
  const key = { source, eventId }
  const found = (await findEvent(tx, key)) ?? (await keepVoid(tx, { ...key, note }))
  const event = found && toRecordedEvent(found)
  // Returned, not thrown: the void is committed.
  if (!event)
    return new DomainError('event_not_found', { detail: 'The void is kept, and wins if the event arrives.' })

  // First, as in every unit of work that books points.
  await lockAccount(tx, event.userId)
  const [voided] = await markVoided(tx, key, tx.now(), note ?? null)
  if (!voided) return parseJson<TakenGrant[]>((await findEvent(tx, key))?.taken ?? null) ?? []
  const taken = await takeBackGrants(tx, event, decisionsOf(voided))
  await updateEvent(tx, key, { taken: JSON.stringify(taken) })
  for (const reader of eventReaders()) await reader.onVoid?.(tx, event)
  return taken
}

/** Writes a row without a fan. Undefined if it wrote one; the event if it has arrived meanwhile. */
async function keepVoid(tx: Transaction, { note, ...key }: Voiding) {
  const now = tx.now()
  const row = { ...key, recordedAt: now, voidedAt: now, voidNote: note ?? null, data: EMPTY }
  const [kept] = await insertVoid(tx, row)
  return kept ? undefined : findEvent(tx, key)
}

/** As for an event without data: the note is deleted together with the data. */
export const EMPTY = '{}'

const insertVoid = prepared((tx: Transaction, row: Tables['events']['$inferInsert']) => {
  const { events } = tx.tables
  return tx.insert(events).values(row).onConflictDoNothing().returning({ eventId: events.eventId })
})

/** Of concurrent voids one gets the row. Without a note where the data was deleted. */
const markVoided = prepared((tx: Transaction, key: EventKey, voidedAt: Date, note: string | null) => {
  const { events } = tx.tables
  return tx
    .update(events)
    .set({ voidedAt, voidNote: sql`case when ${events.data} is null then null else ${note} end` })
    .where(and(hasKey(tx, key), isNull(events.voidedAt)))
    .returning()
})
