/** What verifications of settled rows share, such as predictions and votes: the points that they have booked, and their events. */
import { and, type Column, eq, gte, inArray, lt, notExists, type SQL, sql } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { APPLICATION } from '../../economy/events/types.ts'
import type { PointsReason } from '../../economy/ledgers/reasons.ts'

/** Events per statement. */
const PAGE = 500

interface Booking {
  rows: Tables['predictions'] | Tables['questionVotes']
  /** The slug with which the refs of the entries begin. */
  slug: Column
  /** Of the entries that book points, and take them back. */
  reasons: PointsReason[]
}

/**
 * Rows whose booked points are not the sum of their entries, and entries without a row. One statement for each, and so one
 * snapshot: a row and its entries are written together.
 */
export async function compareBooked(reader: Reader, range: Range, { rows, slug, reasons }: Booking) {
  const { pointsEntries: entries } = reader.tables
  const isOfReasons = inArray(entries.reason, reasons)
  // A ref begins with the slug and a colon. A slug has no colon, and `;` is the next character.
  const isOfSlug = and(gte(entries.ref, sql`${slug} || ':'`), lt(entries.ref, sql`${slug} || ';'`))
  const isOwn: SQL = sql`${entries.userId} = ${rows.userId}`
  const sum = sql<number>`cast(coalesce((${reader
    .select({ sum: sql`sum(${entries.delta})` })
    .from(entries)
    .where(and(isOwn, isOfReasons, isOfSlug))}), 0) as bigint)`
  const wrong = await reader
    .select({
      userId: rows.userId,
      slug: sql<string>`${slug}`,
      booked: rows.booked,
      sum: sum.mapWith(Number),
    })
    .from(rows)
    .where(and(inRange(rows.userId, range), sql`${rows.booked} <> ${sum}`))
  const stray = await reader
    .select({ userId: entries.userId, ref: entries.ref, seq: entries.seq, delta: entries.delta })
    .from(entries)
    .where(
      and(
        inRange(entries.userId, range),
        isOfReasons,
        notExists(reader.select({ one: sql`1` }).from(rows).where(and(isOwn, isOfSlug))),
      ),
    )
  return { wrong, stray }
}

/** A slug has no colon. */
export const slugOf = (ref: string) => ref.slice(0, ref.indexOf(':'))

/** The events of the application with these ids, by id. */
export async function readTold(reader: Reader, ids: string[]) {
  const { events } = reader.tables
  const told = new Map<string, typeof events.$inferSelect>()
  for (let start = 0; start < ids.length; start += PAGE) {
    const isTold = and(
      eq(events.source, APPLICATION),
      inArray(events.eventId, ids.slice(start, start + PAGE)),
    )
    for (const event of await reader.select().from(events).where(isTold)) told.set(event.eventId, event)
  }
  return told
}
