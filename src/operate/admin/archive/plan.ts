/** Reads what plans of the archive depend on: see `planFan`. */
import { and, inArray, isNull, or } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { type Plan, planFan } from '../../../economy/archive/plan-fan.ts'
import { nameOf } from '../../../economy/events/event-rows.ts'
import { readSeamsOf } from '../../../economy/points/seams.ts'

/** Plans for the fans who have something to archive. Erased and merged fans, and fans with a broken chain, have no plan. */
export async function planFans(reader: Reader, userIds: string[], until: Date): Promise<Plan[]> {
  const ids = await listArchivable(reader, userIds)
  if (ids.length === 0) return []
  const { events, pointsEntries: entries, pointsAccounts: accounts, questCounts, eventSinks } = reader.tables
  const eventRows = await reader.select().from(events).where(inArray(events.userId, ids))
  const entryRows = await reader.select().from(entries).where(inArray(entries.userId, ids))
  const accountRows = await reader.select().from(accounts).where(inArray(accounts.userId, ids))
  const { source, eventId } = questCounts
  const counted = await reader
    .select({ source, eventId })
    .from(questCounts)
    .where(inArray(questCounts.userId, ids))
  const sinks = await reader.select({ position: eventSinks.position }).from(eventSinks)
  const seams = await readSeamsOf(reader, { among: ids })
  const eventsOf = Map.groupBy(eventRows, ({ userId }) => userId)
  const entriesOf = Map.groupBy(entryRows, ({ userId }) => userId)
  const headOf = new Map(accountRows.map(({ userId, seq }) => [userId, seq]))
  const needed = {
    counted: new Set(counted.map(nameOf)),
    published: Math.min(...sinks.map(({ position }) => position)),
    until,
  }
  return ids.flatMap(
    userId =>
      planFan(
        {
          userId,
          events: (eventsOf.get(userId) ?? []).toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0)),
          entries: (entriesOf.get(userId) ?? []).toSorted((a, b) => a.seq - b.seq),
          head: headOf.get(userId) ?? 0,
          previous: seams.get(userId),
        },
        needed,
      ) ?? [],
  )
}

/** Those that are neither erased nor part of a merge: see docs/archive.md. In order. */
async function listArchivable(reader: Reader, userIds: string[]): Promise<string[]> {
  const { users, fanMerges } = reader.tables
  const { fromId, intoId } = fanMerges
  if (userIds.length === 0) return []
  const fans = await reader
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, userIds), isNull(users.erasedAt), isNull(users.mergedIntoId)))
  const merges = await reader
    .select({ fromId, intoId })
    .from(fanMerges)
    .where(or(inArray(fromId, userIds), inArray(intoId, userIds)))
  const merged = new Set(merges.flatMap(merge => [merge.fromId, merge.intoId]))
  return fans.flatMap(({ id }) => (merged.has(id) ? [] : id)).toSorted()
}
