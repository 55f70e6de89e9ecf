/** Records actions of fans as events, and runs their listeners, in the same unit of work. */
import type { Transaction } from '../../../db/index.ts'
import type { NewEvent } from './event.ts'
import { mayBookPoints } from './listeners.ts'
import type { Recorded, Writing } from './readers.ts'
import { recordNotice } from './record-notices.ts'
import { openRecording } from './recording.ts'
import { APPLICATION, type ApplicationEventType, type DataOf } from './types.ts'

interface ApplicationEvent<T extends ApplicationEventType> {
  userId: string
  type: T
  data: DataOf<T>
  /** Set for an event that happens once: a second event with the same id is not recorded. */
  eventId?: string
  occurredAt?: Date
  /** Another fan who caused it. */
  senderId?: string
}

/**
 * Records an event of the application. Verbs call it after they have booked points: every unit of work locks the fan's
 * account first and writes the event then. Null if an event of this id was recorded before.
 */
export async function recordEvent<T extends ApplicationEventType>(
  tx: Transaction,
  event: ApplicationEvent<T>,
): Promise<Recorded | null> {
  return (await writeEvent(tx, applicationEvent(tx, event))).recorded
}

/** An event of the application, to be recorded. */
export const applicationEvent = <T extends ApplicationEventType>(
  tx: Transaction,
  { eventId = tx.newId(), occurredAt = tx.now(), ...event }: ApplicationEvent<T>,
): NewEvent => ({ ...event, source: APPLICATION, eventId, occurredAt })

/** As `recordEvent`, for an event of any source. Needs the user's row to exist. */
export async function writeEvent(tx: Transaction, event: NewEvent): Promise<Writing> {
  const [writing] = await writeEvents(tx, [event])
  if (!writing) throw new Error('an event has no result')
  return writing
}

/**
 * Like `writeEvent` for each, in their order: one unit of work with a number of statements that does not
 * depend on the number of events.
 */
export async function writeEvents(tx: Transaction, events: NewEvent[]): Promise<Writing[]> {
  const [first, ...others] = events
  if (!first) return []
  if (others.length === 0 && !mayBookPoints(tx, first.type)) return [await writeUnheard(tx, first)]
  const recording = await openRecording(tx, [...new Set(events.map(({ userId }) => userId))])
  await recording.load(events)
  const results: Writing[] = []
  for (const event of events) {
    results.push(await recording.record(event))
    const rest = events.slice(results.length)
    if (!recording.isAwaited(event.userId) || rest.every(({ userId }) => userId !== event.userId)) continue
    // Further events of the fan come after what this one gave.
    await recording.write()
    return [...results, ...(await writeEvents(tx, rest))]
  }
  await recording.write()
  return results
}

/** Records an event without listeners in this unit of work, with one statement. */
async function writeUnheard(tx: Transaction, event: NewEvent): Promise<Writing> {
  const written = await recordNotice(tx, event)
  if ('before' in written) return { recorded: null, before: written.before }
  const { sequence, subscribed } = written
  if (!mayBookPoints(tx, event.type))
    return { recorded: { event, sequence, hasListeners: subscribed, grants: [] } }
  // Another process has changed the types of rules and readers since the last load in this one.
  const recording = await openRecording(tx, [event.userId])
  const reacted = await recording.react(event)
  await recording.write()
  return { recorded: { ...reacted, sequence } }
}
