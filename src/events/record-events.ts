/** Records events of other systems. One that is refused or fails does not affect the others. */
import type { Logger } from 'pino'
import { DatabaseError, type Transaction, translateDatabaseError } from '../../db/index.ts'
import { parseInstant } from '../core/instant.ts'
import { loggable } from '../core/loggable.ts'
import { DomainError } from '../core/problems.ts'
import { resolveFan } from '../users/fan-reference.ts'
import { findUserById } from '../users/users.ts'
import { digestOf } from './digest.ts'
import { decisionsOf, type EventRow, grantsOf } from './event.ts'
import { findEvent, writeEvent } from './record-event.ts'
import { type Event, type EventResult, type Events, MAX_DATA_BYTES } from './schema.ts'
import { isApplicationEvent } from './types.ts'

const MAX_AGE_MS = 30 * 86_400_000
const MAX_AHEAD_MS = 5 * 60_000

export interface RecordDeps {
  identity: { name: string }
  log: Logger
}

type Write = <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>

/**
 * Each event is a unit of work. Events of one fan are recorded in their order, those of several fans at the same time.
 * @throws DomainError `validation_failed` before anything is recorded; DatabaseError when some may be recorded
 */
export async function recordEvents(
  write: Write,
  deps: RecordDeps,
  source: string,
  { events }: Events,
): Promise<{ results: EventResult[] }> {
  refuseLargeData(events)
  const results: EventResult[] = []
  const byFan = Map.groupBy(events.entries(), ([, { fan }]) => nameOf(fan))
  const settled = await Promise.allSettled(
    [...byFan.values()].map(async own => {
      for (const [at, event] of own) {
        const outcome = await recordOne(write, deps, source, event)
        results[at] = { id: event.id, grants: [], ...outcome }
      }
    }),
  )
  for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason
  return { results }
}

const nameOf = (fan: Event['fan']) =>
  JSON.stringify('userId' in fan ? [fan.userId] : [fan.provider, fan.subject])

/** @throws DomainError `validation_failed` */
function refuseLargeData(events: Event[]): void {
  const message = `must be at most ${MAX_DATA_BYTES} bytes as JSON`
  const errors = events.flatMap(({ data }, at) =>
    data !== undefined && Buffer.byteLength(JSON.stringify(data)) > MAX_DATA_BYTES
      ? [{ pointer: `/events/${at}/data`, message }]
      : [],
  )
  if (errors.length > 0) throw new DomainError('validation_failed', { errors })
}

type Code = NonNullable<EventResult['code']>
type Outcome = Omit<EventResult, 'id' | 'grants'> & Partial<Pick<EventResult, 'grants'>>

const refused = (code: Code): Outcome => ({ outcome: 'refused', code })
const ignored = (code: Code): Outcome => ({ outcome: 'ignored', code })

/** The fan was erased while the event was recorded. */
class ErasedMeanwhile extends Error {}

async function recordOne(write: Write, { identity, log }: RecordDeps, source: string, event: Event) {
  try {
    return await write(tx => recordOwn(tx, identity.name, source, event))
  } catch (error) {
    if (error instanceof ErasedMeanwhile) return ignored('fan_erased')
    if (translateDatabaseError(error) instanceof DatabaseError) throw error
    // Such as a fan whose ledger is damaged: other events of the batch are recorded.
    log.error({ source, eventId: event.id, error: loggable(error) }, 'an event failed')
    return refused('internal_error')
  }
}

async function recordOwn(
  tx: Transaction,
  provider: string,
  source: string,
  { id, type, fan, occurredAt: at, data = {} }: Event,
): Promise<Outcome> {
  if (isApplicationEvent(type)) return refused('type_reserved')
  // Guarantee: the schema has validated it.
  const occurredAt = parseInstant(at) ?? tx.now()
  const content = { source, eventId: id, type, occurredAt, data }
  const digest = digestOf(content)
  const stale = timeFault(occurredAt, tx.now())
  const before = stale && (await findEvent(tx, content))
  if (stale && !before) return refused(stale)
  const resolved = await resolveFan(tx, fan, { provider })
  if ('missing' in resolved)
    return resolved.missing === 'erased' ? ignored('fan_erased') : refused('fan_not_found')
  const { userId } = resolved
  if (before) return repeatOf(before, { userId, digest })

  const writing = await writeEvent(tx, { ...content, userId, digest })
  if (!writing.recorded) return repeatOf(writing.before, { userId, digest })
  // Read again: on PostgreSQL the insert waits for an erasure of the fan, and then succeeds.
  if ((await findUserById(tx, userId))?.erasedAt) throw new ErasedMeanwhile()
  const { hasListeners, grants } = writing.recorded
  return { outcome: hasListeners ? 'applied' : 'ignored', grants }
}

function timeFault(occurredAt: Date, now: Date): 'too_old' | 'in_future' | null {
  const age = now.getTime() - occurredAt.getTime()
  if (age > MAX_AGE_MS) return 'too_old'
  return age < -MAX_AHEAD_MS ? 'in_future' : null
}

function repeatOf(before: EventRow, { userId, digest }: { userId: string; digest: string }): Outcome {
  // A void whose event had not arrived.
  if (before.userId === null) return ignored('voided')
  return before.userId === userId && before.digest === digest
    ? { outcome: 'duplicate', grants: grantsOf(decisionsOf(before)) }
    : refused('event_id_reused')
}
