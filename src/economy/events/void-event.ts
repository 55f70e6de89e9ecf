/** Voids events: takes back what they did, once. A void that comes before its event is kept, and wins. */
import { and, isNotNull, isNull } from 'drizzle-orm'
import { ConflictError, type Tables, type Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { DomainError } from '../../core/problems.ts'
import { followMerges } from '../../identity/users/merges.ts'
import type { TakenGrant } from '../rules/apply-rules.ts'
import { findArchived } from './archived.ts'
import { type EventKey, findEvent, hasKey } from './event-rows.ts'
import { eventProblems } from './problems.ts'
import { openRecording } from './recording.ts'

interface Voiding extends EventKey {
  /** For operators. Deleted when the fan is erased. */
  note?: string | undefined
}

/**
 * The grants of the event, and how many of their points were taken back. A repeat returns the same.
 * @throws DomainError `event_archived`
 */
export async function voidEvent(
  tx: Transaction,
  { source, eventId, note }: Voiding,
): Promise<TakenGrant[] | DomainError<typeof eventProblems.event_not_found>> {
  const key = { source, eventId }
  const found = (await findEvent(tx, key)) ?? (await keepVoid(tx, { ...key, note }))
  // Returned, not thrown: the void is committed.
  if (!found?.userId)
    return new DomainError(eventProblems.event_not_found, {
      detail: 'The void is kept, and wins if the event arrives.',
    })
  const merges = await followMerges(tx, [found.userId])
  const recording = await openRecording(tx, [found.userId], [], merges)
  await recording.loadVoids([key])
  const voided = await recording.void(key)
  // Archived between the two look-ups: the next attempt says so.
  if (!voided) throw new ConflictError('an event was archived meanwhile')
  await recording.write()
  if (note !== undefined && !voided.isRepeat) await keepNote(tx, key, note)
  return voided.taken
}

/** Writes a row without a fan. Undefined if it wrote one; the event if it has arrived meanwhile. */
async function keepVoid(tx: Transaction, { note, ...key }: Voiding) {
  if (await findArchived(tx, key)) throw new DomainError(eventProblems.event_archived)
  const now = tx.now()
  const row = { ...key, recordedAt: now, voidedAt: now, voidNote: note ?? null, data: EMPTY }
  const [kept] = await insertVoid(tx, row)
  return kept ? undefined : findEvent(tx, key)
}

/** Called when the event of a stored void arrives: an erasure of its fan then deletes the note. */
export const assignVoid = prepared((tx: Transaction, key: EventKey, userId: string) => {
  const { events } = tx.tables
  return tx
    .update(events)
    .set({ voidedFor: userId })
    .where(and(hasKey(tx, key), isNull(events.userId), isNull(events.voidedFor)))
})

/** As `assignVoid`, for a fan who is erased. */
export const deleteVoidNote = prepared((tx: Transaction, key: EventKey) => {
  const { events } = tx.tables
  return tx
    .update(events)
    .set({ data: null, voidNote: null })
    .where(and(hasKey(tx, key), isNull(events.userId)))
})

/** As for an event without data: the note is deleted together with the data. */
const EMPTY = '{}'

const insertVoid = prepared((tx: Transaction, row: Tables['events']['$inferInsert']) => {
  const { events } = tx.tables
  return tx.insert(events).values(row).onConflictDoNothing().returning({ eventId: events.eventId })
})

/** Does nothing if the data was deleted. */
const keepNote = prepared((tx: Transaction, key: EventKey, note: string) => {
  const { events } = tx.tables
  return tx
    .update(events)
    .set({ voidNote: note })
    .where(and(hasKey(tx, key), isNotNull(events.data)))
})
