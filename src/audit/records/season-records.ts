/** What the counts of the season are made of, by fan: everything that was recorded before an instant. */
import { and, asc, inArray, lt } from 'drizzle-orm'
import { idFrom, inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import type { Seam } from '../../economy/points/seams.ts'
import { readSeamsOf } from '../../economy/points/seams.ts'
import {
  type Entry,
  type FanEvent,
  type FanRow,
  isNotice,
  type KnownFan,
} from '../../figures/season/tally.ts'

export interface CountedRecords {
  user: KnownFan
  /** As it is stored. */
  row: FanRow | undefined
  events: FanEvent[]
  entries: Entry[]
  predictions: { createdAt: Date }[]
  /** If anything of the fan is archived. */
  seam: Seam | undefined
  /** Whether the fan was merged with another one. */
  isMerged: boolean
}

export async function readCountedRecords(
  reader: Reader,
  range: Range,
  until: Date,
): Promise<CountedRecords[]> {
  const { users, seasonFans, fanMerges, predictions, pointsEntries, events } = reader.tables
  const { id, createdAt, favoriteTeamId, country } = users
  const known = await reader
    .select({ id, createdAt, favoriteTeamId, country })
    .from(users)
    .where(inRange(id, range))
  const ids = known.map(user => user.id)
  if (ids.length === 0) return []
  const rows = await reader.select().from(seasonFans).where(inArray(seasonFans.userId, ids))
  const { userId, source, type, recordedAt, data, sequence } = events
  const ofEvents = await reader
    .select({ userId, source, type, recordedAt, data })
    .from(events)
    .where(and(inArray(userId, ids), lt(recordedAt, until)))
    .orderBy(asc(userId), asc(sequence))
  const ofEntries = await reader
    .select()
    .from(pointsEntries)
    .where(and(inArray(pointsEntries.userId, ids), lt(pointsEntries.id, idFrom(until))))
    .orderBy(asc(pointsEntries.userId), asc(pointsEntries.seq))
  const ofPredictions = await reader
    .select({ userId: predictions.userId, createdAt: predictions.createdAt })
    .from(predictions)
    .where(and(inArray(predictions.userId, ids), lt(predictions.createdAt, until)))
  const merges = await reader.select({ from: fanMerges.fromId, into: fanMerges.intoId }).from(fanMerges)
  const merged = new Set(merges.flatMap(({ from, into }) => [from, into]))
  const seams = await readSeamsOf(reader, range)
  const seamOf = (userId: string) => {
    const seam = seams.get(userId)
    return seam && seam.seq + seam.sequence > 0 ? seam : undefined
  }
  const rowOf = new Map(rows.map(row => [row.userId, row]))
  const byFan = {
    events: Map.groupBy(
      ofEvents.filter(event => !isNotice(event.type)),
      row => row.userId,
    ),
    entries: Map.groupBy(ofEntries, row => row.userId),
    predictions: Map.groupBy(ofPredictions, row => row.userId),
  }
  return known.map(user => ({
    user,
    row: rowOf.get(user.id),
    events: byFan.events.get(user.id) ?? [],
    entries: byFan.entries.get(user.id) ?? [],
    predictions: byFan.predictions.get(user.id) ?? [],
    seam: seamOf(user.id),
    isMerged: merged.has(user.id),
  }))
}
