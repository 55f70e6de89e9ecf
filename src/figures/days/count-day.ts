/** The figures of one day (UTC), counted from events and the ledger. */
import { and, asc, between, gte, inArray, isNotNull, isNull, lt, notInArray, sql } from 'drizzle-orm'
import { idAt } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { APPLICATION, type ApplicationEventType } from '../../economy/events/types.ts'
import { type PointsReason, REFUND_REASONS } from '../../economy/ledgers/reasons.ts'

export type DailyFigures = Omit<Tables['dailyFigures']['$inferSelect'], 'day'>

export const DAY_MS = 86_400_000
const SPENT: PointsReason[] = ['pack_purchase', 'order_payment']
/** Reasons of entries that are not earned on the day of booking. */
const NOT_GRANTED: PointsReason[] = [...REFUND_REASONS, 'opening_balance']
/** Types that are recorded only if a system asked for them, and that are not actions of the fan. */
const NOTICES: ApplicationEventType[] = ['points.changed', 'cash.changed']

/** `2026-11-25` */
export const dayOf = (instant: Date) => instant.toISOString().slice(0, 10)
/** The days up to `last`, the oldest first. */
export const daysUntil = (last: string, count: number) =>
  Array.from({ length: count }, (_, nth) => dayOf(new Date(startOf(last) - (count - 1 - nth) * DAY_MS)))

const startOf = (day: string) => Date.parse(`${day}T00:00:00.000Z`)

/** Reads the events, entries and fans of a day by their indexes. */
export async function countDay(reader: Reader, day: string): Promise<DailyFigures> {
  const from = new Date(startOf(day))
  const to = new Date(from.getTime() + DAY_MS)
  return {
    newFans: await countNewFans(reader, from, to),
    ...(await countEvents(reader, from, to)),
    ...(await sumPoints(reader, from, to)),
  }
}

/** The day of the first fan. */
export async function findFirstDay(reader: Reader): Promise<string | null> {
  const { users } = reader.tables
  const [first] = await reader.select({ since: users.createdAt }).from(users).orderBy(asc(users.id)).limit(1)
  return first ? dayOf(first.since) : null
}

async function countNewFans(reader: Reader, from: Date, to: Date): Promise<number> {
  const { users } = reader.tables
  const isNew = and(gte(users.createdAt, from), lt(users.createdAt, to))
  const [row] = await reader
    .select({ count: sql`count(*)`.mapWith(Number) })
    .from(users)
    .where(and(between(users.id, idAt(from, -1), idAt(to, 1)), isNew))
  return row?.count ?? 0
}

async function countEvents(reader: Reader, from: Date, to: Date) {
  const { events } = reader.tables
  const ofType = (type: ApplicationEventType) =>
    sql`count(case when ${events.source} = ${APPLICATION} and ${events.type} = ${type} then 1 end)`.mapWith(
      Number,
    )
  const [row] = await reader
    .select({
      activeFans: sql`count(distinct ${events.userId})`.mapWith(Number),
      onboardings: ofType('onboarding.completed'),
      claims: ofType('reward.claimed'),
      redemptions: ofType('reward.redeemed'),
      orders: ofType('order.paid'),
      packs: ofType('purchase.completed'),
    })
    .from(events)
    .where(
      and(
        // The condition of the index `events_recorded`, in the same form.
        isNotNull(events.data),
        ...[gte(events.recordedAt, from), lt(events.recordedAt, to)],
        ...[isNull(events.voidedAt), notInArray(events.type, NOTICES)],
      ),
    )
  return row ?? { activeFans: 0, onboardings: 0, claims: 0, redemptions: 0, orders: 0, packs: 0 }
}

async function sumPoints(reader: Reader, from: Date, to: Date) {
  const { pointsEntries: entries } = reader.tables
  const sumOf = (condition: ReturnType<typeof and>, sign: '' | '-') =>
    sql`coalesce(sum(case when ${condition} then ${sql.raw(sign)}${entries.delta} end), 0)`.mapWith(Number)
  const isTaken = lt(entries.delta, 0)
  const [row] = await reader
    .select({
      pointsGranted: sumOf(and(sql`${entries.delta} > 0`, notInArray(entries.reason, NOT_GRANTED)), ''),
      pointsSpent: sumOf(and(isTaken, inArray(entries.reason, SPENT)), '-'),
      pointsTaken: sumOf(and(isTaken, notInArray(entries.reason, SPENT)), '-'),
    })
    .from(entries)
    .where(
      and(
        between(entries.id, idAt(from, -1), idAt(to, 1)),
        ...[gte(entries.createdAt, from), lt(entries.createdAt, to)],
      ),
    )
  return row ?? { pointsGranted: 0, pointsSpent: 0, pointsTaken: 0 }
}

/** Fans with a record, without erased ones. */
export async function countFans(reader: Reader): Promise<number> {
  const { users } = reader.tables
  const [row] = await reader
    .select({ count: sql`count(*)`.mapWith(Number) })
    .from(users)
    .where(isNull(users.erasedAt))
  return row?.count ?? 0
}
