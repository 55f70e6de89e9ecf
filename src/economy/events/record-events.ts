/** Records events of other systems. One that is refused or fails does not affect the others. */

import type { Logger } from 'pino'
import { DatabaseError, type Transaction, translateDatabaseError } from '../../../db/index.ts'
import { parseInstant } from '../../core/instant.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import type { FanEmails } from '../../identity/users/emails.ts'
import { type FanNaming, resolveFans } from '../../identity/users/fan-reference.ts'
import { findFanOf } from '../../identity/users/merges.ts'
import { readArchived } from './archived.ts'
import { findDataFault } from './data-faults.ts'
import { digestLike } from './digest.ts'
import { decisionsOf, type EventRow, grantsOf, type NewEvent } from './event.ts'
import { type EventKey, nameOf, readEvents } from './event-rows.ts'
import type { Recorded } from './readers.ts'
import { writeEvents } from './record-event.ts'
import type { Event, EventResult, Events } from './schema.ts'
import { isReservedType } from './types.ts'
import { assignVoid, deleteVoidNote } from './void-event.ts'

const MAX_AGE_MS = 30 * 86_400_000
const MAX_AHEAD_MS = 5 * 60_000

export interface RecordDeps {
  identity: { name: string }
  /** Null or absent: fans are not found by e-mail. */
  fanEmails?: FanEmails | null
  log: Logger
}

type Write = <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>

/**
 * All events are one unit of work, as if one were recorded after the other. If one of them fails, each is a unit of its own.
 * @throws DomainError `validation_failed` before anything is recorded; DatabaseError when some may be recorded
 */
export async function recordEvents(
  write: Write,
  deps: RecordDeps,
  source: string,
  { events }: Events,
): Promise<{ results: EventResult[] }> {
  refuseUnreadableData(events)
  const outcomes = await recordTogether(write, deps, source, events)
  return {
    results: events.map(({ id }, index) => ({
      id,
      grants: [],
      ...(outcomes[index] ?? refused('internal_error')),
    })),
  }
}

/** @throws DomainError `validation_failed` */
function refuseUnreadableData(events: Event[]): void {
  const errors = events.flatMap(({ data = {} }, index) => {
    const fault = findDataFault(data)
    return fault ? [{ ...fault, pointer: `/events/${index}/data${fault.pointer}` }] : []
  })
  if (errors.length > 0) throw new DomainError(transportProblems.validation_failed, { errors })
}

type Code = NonNullable<EventResult['code']>
type RecordingResult = Omit<EventResult, 'id' | 'grants'> & Partial<Pick<EventResult, 'grants'>>

const refused = (code: Code): RecordingResult => ({ outcome: 'refused', code })
const ignored = (code: Code): RecordingResult => ({ outcome: 'ignored', code })

async function recordTogether(
  write: Write,
  deps: RecordDeps,
  source: string,
  events: Event[],
): Promise<RecordingResult[]> {
  const { identity, fanEmails = null, log } = deps
  const naming = { provider: identity.name, fanEmails }
  try {
    return await write(tx => recordAll(tx, naming, source, events))
  } catch (error) {
    const [event, ...others] = events
    if (event && others.length > 0 && !(translateDatabaseError(error) instanceof DatabaseError)) {
      const outcomes: RecordingResult[] = []
      for (const event of events) outcomes.push(...(await recordTogether(write, deps, source, [event])))
      return outcomes
    }
    if (translateDatabaseError(error) instanceof DatabaseError) throw error
    // Such as a fan whose ledger is damaged: other events of the batch are recorded.
    log.error({ source, eventId: event?.id, error }, 'an event failed')
    return [refused('internal_error')]
  }
}

async function recordAll(
  tx: Transaction,
  naming: FanNaming,
  source: string,
  events: Event[],
): Promise<RecordingResult[]> {
  const drafts = events.map(event => draftOf(event, source, tx.now()))
  const known = await readStale(tx, drafts)
  const isOpen = (draft: Draft) =>
    !isReservedType(draft.type) && (draft.timeFault === null || known.has(nameOf(draft)))
  const open = drafts.filter(isOpen)
  const resolved = await resolveFans(
    tx,
    open.map(({ fan }) => fan),
    naming,
  )
  const fans = new Map(open.map((draft, index) => [draft, resolved[index]]))
  // After the records of the fans are locked, which an archive locks too.
  const archived = await readArchived(tx, open)
  const fresh = open.flatMap(draft => {
    const fan = fans.get(draft)
    if (!fan || 'missing' in fan || known.has(nameOf(draft)) || archived.has(nameOf(draft))) return []
    const { fan: _, timeFault: _t, ...event } = draft
    return [{ draft, event: { ...event, userId: fan.userId } satisfies NewEvent }]
  })
  const writings = await writeEvents(
    tx,
    fresh.map(({ event }) => event),
  )
  const written = new Map(fresh.map(({ draft }, index) => [draft, writings[index]]))
  const outcomes: RecordingResult[] = []
  const names = new Set<string>()
  for (const draft of drafts) {
    const fan = fans.get(draft)
    const writing = written.get(draft)
    if (isReservedType(draft.type)) outcomes.push(refused('type_reserved'))
    // Another event of the batch has the same id and another time.
    else if (!fan && names.has(nameOf(draft))) outcomes.push(refused('event_id_reused'))
    else if (!fan) outcomes.push(refused(draft.timeFault ?? 'internal_error'))
    else if ('missing' in fan) outcomes.push(await outcomeOfMissing(tx, draft, fan.missing))
    else if (archived.has(nameOf(draft))) outcomes.push(refused('event_archived'))
    else if (writing?.recorded) {
      names.add(nameOf(draft))
      outcomes.push(outcomeOf(writing.recorded))
    } else {
      const before = writing?.before ?? known.get(nameOf(draft))
      if (!before) throw new Error('an event has no result')
      outcomes.push(await repeatOf(tx, before, { ...draft, userId: fan.userId }))
    }
  }
  return outcomes
}

interface Draft extends Omit<NewEvent, 'userId'> {
  fan: Event['fan']
  timeFault: 'too_old' | 'in_future' | null
}

function draftOf({ id, type, fan, occurredAt: instant, data = {} }: Event, source: string, now: Date): Draft {
  // Guarantee: the schema has validated it.
  const occurredAt = parseInstant(instant) ?? now
  return { source, eventId: id, type, occurredAt, data, fan, timeFault: timeFault(occurredAt, now) }
}

/** Events of a time that is refused may be repeats. */
async function readStale(tx: Transaction, drafts: Draft[]): Promise<Map<string, EventRow>> {
  const rows = await readEvents(
    tx,
    drafts.filter(draft => draft.timeFault !== null),
  )
  return new Map(rows.map(row => [nameOf(row), row]))
}

async function outcomeOfMissing(
  tx: Transaction,
  { source, eventId }: EventKey,
  missing: 'unknown' | 'ambiguous' | 'erased',
) {
  if (missing !== 'erased') return refused('fan_not_found')
  await deleteVoidNote(tx, { source, eventId })
  return ignored('fan_erased')
}

const outcomeOf = ({ hasListeners, grants }: Recorded): RecordingResult => ({
  outcome: hasListeners ? 'applied' : 'ignored',
  grants,
})

function timeFault(occurredAt: Date, now: Date): 'too_old' | 'in_future' | null {
  const age = now.getTime() - occurredAt.getTime()
  if (age > MAX_AGE_MS) return 'too_old'
  return age < -MAX_AHEAD_MS ? 'in_future' : null
}

async function repeatOf(
  tx: Transaction,
  before: EventRow,
  { userId, ...event }: NewEvent,
): Promise<RecordingResult> {
  if (before.userId === null) {
    await assignVoid(tx, { source: before.source, eventId: before.eventId }, userId)
    return ignored('voided')
  }
  // An event of a fan who was merged since stays with that record.
  const isOfFan = before.userId === userId || (await findFanOf(tx, before.userId))?.id === userId
  return isOfFan && before.digest === digestLike(before.digest, event)
    ? { outcome: 'duplicate', grants: grantsOf(decisionsOf(before)) }
    : refused('event_id_reused')
}
