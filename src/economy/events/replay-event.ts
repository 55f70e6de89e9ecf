/** Simulates that an event is voided and reported again now. Writes nothing. */
import { and, asc, eq, gte } from 'drizzle-orm'
import { type Database, DatabaseError, type Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import type { TakenGrant } from '../rules/apply-rules.ts'
import type { Decision } from '../rules/decision.ts'
import { decisionsOf, type EventRow, type RecordedEvent, toRecordedEvent } from './event.ts'
import { type EventKey, findEvent } from './event-rows.ts'
import { unfold } from './folded.ts'
import { writeEvent } from './record-event.ts'
import { voidEvent } from './void-event.ts'

export interface Replay {
  event: RecordedEvent
  /** Decisions of rules when it was recorded. */
  decided: Decision[]
  /** Grants that a void would take back. */
  taken: TakenGrant[]
  /** Decisions of the current rules after the void. */
  decisions: Decision[]
  /** Whether anything listens to its type. */
  hasListeners: boolean
  /** Further events that readers would record, such as completed quests. */
  further: Pick<EventRow, 'source' | 'type' | 'data'>[]
}

/** `void`: only its void has arrived. `deleted`: its data was deleted. Null if the id is unknown. */
export async function replayEvent(db: Database, key: EventKey): Promise<Replay | 'void' | 'deleted' | null> {
  const row = await findEvent(db.read, key)
  if (!row) return null
  const event = toRecordedEvent(row)
  if (!event) return 'void'
  if (row.data === null) return 'deleted'
  try {
    await db.write(async tx => {
      throw new Undone({ event, decided: decisionsOf(row), ...(await repeat(tx, event)) })
    })
  } catch (error) {
    if (error instanceof Undone) return error.replay
    throw error
  }
  throw new DatabaseError('busy')
}

/** Ends the unit of work, so that it is rolled back. */
class Undone extends Error {
  constructor(readonly replay: Replay) {
    super('rolled back on purpose')
  }
}

async function repeat(tx: Transaction, event: RecordedEvent): Promise<Omit<Replay, 'event' | 'decided'>> {
  const taken = await voidEvent(tx, event)
  if (taken instanceof DomainError) throw taken
  const { recordedAt: _, sequence: _s, ...content } = event
  const again = { ...content, eventId: tx.newId() }
  const { recorded } = await writeEvent(tx, again)
  const written = await findEvent(tx, again)
  if (!recorded || !written) throw new Error('an event of a new id was not written')
  const { events } = tx.tables
  const rows = await tx
    .select()
    .from(events)
    .where(and(eq(events.userId, event.userId), gte(events.sequence, recorded.sequence)))
    .orderBy(asc(events.sequence))
  const further = (await unfold(tx, rows)).filter(({ eventId }) => eventId !== again.eventId)
  return { taken, decisions: decisionsOf(written), hasListeners: recorded.hasListeners, further }
}
