/** The records of a span of time, in the order of their time: events, ledger entries, predictions, deliveries and new fans. */
import {
  and,
  asc,
  type Column,
  count,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  lt,
  lte,
  type SQL,
  sql,
} from 'drizzle-orm'
import { idFrom, timeOfId } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { dayNumber, type Entry, type FanEvent, isNotice, type KnownFan } from './tally.ts'

/** After this time, units of work that began before have ended: as for daily figures. */
export const SETTLED_AFTER_MS = 10 * 60_000
export interface Slice {
  from: Date
  /** The records are older. */
  until: Date
  fans: string[]
  events: FanEvent[]
  entries: Entry[]
  predictions: { userId: string; createdAt: Date }[]
  deliveries: { day: number; endpointId: string; amount: number }[]
}

/** The time of the first fan or event. Null: there is nothing to count. */
export async function findStart(reader: Reader): Promise<Date | null> {
  const { users, events, predictions } = reader.tables
  const [fan] = await reader.select({ id: users.id }).from(users).orderBy(asc(users.id)).limit(1)
  const [event] = await reader
    .select({ at: events.recordedAt })
    .from(events)
    .where(isNotNull(events.data))
    .orderBy(asc(events.recordedAt))
    .limit(1)
  const { createdAt } = predictions
  const [prediction] = await reader
    .select({ at: createdAt })
    .from(predictions)
    .orderBy(asc(createdAt))
    .limit(1)
  const times = [
    ...(fan ? [timeOfId(fan.id)] : []),
    ...[event, prediction].flatMap(row => (row ? [row.at.getTime()] : [])),
  ].filter(Number.isFinite)
  return times.length === 0 ? null : new Date(Math.min(...times))
}

/** As many records as one unit of work counts, of one day. The span ends before the first record that is left. */
export async function readSlice(reader: Reader, from: Date, horizon: Date, size: number): Promise<Slice> {
  const first = await readSpan(reader, from, horizon, size + 1)
  const ends = Object.values(first.times).flatMap(times => (times.length > size ? times.at(-1) : []))
  if (ends.length === 0) return { from, until: horizon, ...first.records }
  const until = new Date(Math.max(Math.min(...ends.map(Number)), from.getTime() + 1))
  // Again, since more than the maximum may have the same time.
  return { from, until, ...(await readSpan(reader, from, until)).records }
}

async function readSpan(reader: Reader, from: Date, until: Date, max = Number.MAX_SAFE_INTEGER) {
  const {
    users,
    events: ofEvents,
    pointsEntries,
    predictions: ofPredictions,
    webhookDeliveries,
  } = reader.tables
  const within = (column: Column): SQL | undefined => and(gte(column, from), lt(column, until))
  const withId = (column: Column) => and(gte(column, idFrom(from)), lt(column, idFrom(until)))
  const fans = await reader
    .select({ id: users.id })
    .from(users)
    .where(withId(users.id))
    .orderBy(asc(users.id))
    .limit(max)
  const { userId, source, type, recordedAt, data, sequence } = ofEvents
  const events = await reader
    .select({ userId, source, type, recordedAt, data })
    .from(ofEvents)
    // The condition of the index `events_recorded`, in the same form.
    .where(and(isNotNull(data), within(recordedAt)))
    .orderBy(asc(recordedAt), asc(sequence))
    .limit(max)
  const entries = await reader
    .select()
    .from(pointsEntries)
    .where(withId(pointsEntries.id))
    .orderBy(asc(pointsEntries.id))
    .limit(max)
  const predictions = await reader
    .select({ userId: ofPredictions.userId, createdAt: ofPredictions.createdAt })
    .from(ofPredictions)
    .where(within(ofPredictions.createdAt))
    .orderBy(asc(ofPredictions.createdAt))
    .limit(max)
  const deliveries = await reader
    .select({ endpointId: webhookDeliveries.endpointId, amount: count() })
    .from(webhookDeliveries)
    .where(within(webhookDeliveries.createdAt))
    .groupBy(webhookDeliveries.endpointId)
  return {
    times: {
      fans: fans.map(({ id }) => timeOfId(id)),
      events: events.map(event => event.recordedAt.getTime()),
      entries: entries.map(({ id }) => timeOfId(id)),
      predictions: predictions.map(({ createdAt }) => createdAt.getTime()),
    },
    records: {
      fans: fans.map(({ id }) => id),
      events: events.filter(event => event.userId !== null && !isNotice(event.type)),
      entries,
      predictions,
      deliveries: deliveries.map(row => ({ ...row, day: dayNumber(from) })),
    },
  }
}

/** Fans with their present team and country. */
export async function readKnownFans(reader: Reader, userIds: string[]): Promise<KnownFan[]> {
  const { users } = reader.tables
  const { id, createdAt, favoriteTeamId, country } = users
  return reader
    .select({ id, createdAt, favoriteTeamId, country })
    .from(users)
    .where(inArray(users.id, userIds))
}

/** The balances at the seams of the archive, and what the entries before a seam that are still there add up to. */
export function readArchived(reader: Reader) {
  const { archiveSeams: seams, pointsEntries: entries } = reader.tables
  return reader
    .select({
      until: seams.until,
      balance: seams.balance,
      kept: sql`coalesce(sum(${entries.delta}), 0)`.mapWith(Number),
    })
    .from(seams)
    .leftJoin(entries, and(eq(entries.userId, seams.userId), lte(entries.seq, seams.seq)))
    .where(gt(seams.seq, 0))
    .groupBy(seams.userId, seams.until, seams.balance)
}
