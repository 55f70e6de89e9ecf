/** Events that neither rules nor readers get: only subscribers, the stream and lists of events. */
import type { Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { formAt, readVersion } from '../../club/catalogue/versions.ts'
import {
  type AppendedCash,
  type AppendedEntry,
  returnAppended,
  takeAppended,
} from '../points/appended-entries.ts'
import { eventOfEntry } from './entry-event.ts'
import type { EventRow, NewEvent } from './event.ts'
import { draftOf, type EventKey, hasKey, insertEvent, insertEvents } from './event-rows.ts'
import { announceFolded, FOLDED, foldOf, UNFOLDED } from './folded.ts'
import { listeningAt, listeningAtRevision, mayBeSubscribed } from './listeners.ts'
import { tellObservers } from './observers.ts'
import { AWAITING } from './outbox.ts'

/**
 * Records the events of entries in their order. Neither rules nor readers get such an event: what they would book for it would be an
 * entry again.
 */
export const recordEntries = (tx: Transaction, entries: (AppendedEntry | AppendedCash)[]): Promise<void> =>
  recordNotices(tx, entries.map(eventOfEntry))

/** In their order. Their types are among those that rules and quests cannot listen to: see `eventTypeFaults`. */
export async function recordNotices(tx: Transaction, events: NewEvent[]): Promise<void> {
  const [first, ...others] = events
  if (!first) return
  if (others.length === 0) {
    await recordNotice(tx, first)
    return
  }
  const version = await readVersion(tx)
  const { isSubscribed, observations } = await listeningAt(tx, version)
  const revision = version?.revision ?? null
  const drafts = events.map(event =>
    draftOf(event, tx.now(), {
      revision,
      position: isSubscribed(event.type) ? AWAITING : null,
      form: formAt(version, tx.now()),
    }),
  )
  await insertEvents(tx, drafts)
  for (const event of events) tx.spine.events.recorded.announce(tx, event)
  if (drafts.some(({ position }) => position !== null)) tx.spine.events.awaiting.announce(tx)
  await tellObservers(tx, observations, events)
}

/**
 * Records one event with one statement. `subscribed`: whether a subscriber gets it. `before`: the event of this id, which was
 * recorded before.
 */
export async function recordNotice(
  tx: Transaction,
  event: NewEvent,
): Promise<{ sequence: number; subscribed: boolean } | { before: EventRow }> {
  const expected = mayBeSubscribed(tx, event.type)
  const form = formAt(tx.spine.events.listening, tx.now())
  const row = draftOf(event, tx.now(), { revision: null, position: positionOf(expected), form })
  const folded = form === 'short' && !mayBeSubscribed(tx, FOLDED) ? takeAppended(tx, event.userId) : null
  if (folded) Object.assign(row, foldOf(folded))
  const written = await insertEvent(tx, row, 'current')
  if ('before' in written) {
    if (folded) returnAppended(tx, folded)
    return written
  }
  const { sequence, revision } = written
  const { isSubscribed, observations } = await listeningAtRevision(tx, revision)
  const subscribed = isSubscribed(event.type)
  // Another process has changed the types of subscribers since the last load in this one.
  if (subscribed !== expected) await updateEvent(tx, event, { position: positionOf(subscribed) })
  tx.spine.events.recorded.announce(tx, event)
  if (folded && folded.length > 0)
    if (isSubscribed(FOLDED)) {
      await updateEvent(tx, event, UNFOLDED)
      returnAppended(tx, folded)
    } else announceFolded(tx, folded)
  if (subscribed) tx.spine.events.awaiting.announce(tx)
  await tellObservers(tx, observations, [event])
  return { sequence, subscribed }
}

const positionOf = (subscribed: boolean): EventRow['position'] => (subscribed ? AWAITING : null)

const updateEvent = prepared((tx: Transaction, { source, eventId }: EventKey, change: Partial<EventRow>) =>
  tx.update(tx.tables.events).set(change).where(hasKey(tx, { source, eventId })),
)
