/** Reads recorded events for previews, in the order of their recording and up to a maximum, and sums grants by fan. */
import { and, gte, inArray, isNotNull, isNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { eachPage } from '../../../db/keyset.ts'
import type { Decision } from '../rules/decision.ts'
import { decisionsOf, type RecordedEvent, toRecordedEvent } from './event.ts'

export interface PreviewOptions {
  /** Events that occurred from then on. */
  since: Date
  /** Events read so far, and the share of the time that they cover, from 0 to 1. */
  onProgress?: (done: number, share: number) => void
  /** Stops between two pages, and throws its reason. */
  signal?: AbortSignal
  /** Default: all. */
  maxEvents?: number
}

export type PastEvent = RecordedEvent & { decisions: Decision[] }

/** Clocks of other systems may be ahead by this much. */
const MAX_AHEAD_MS = 5 * 60_000
/** Events that are evaluated in one turn of the event loop, while requests wait. */
const PAGE_EVENTS = 200

/**
 * Calls `each` with events of these types that are not voided and still have data. False if there were more than
 * `maxEvents`. @throws the reason of `signal`
 */
export async function eachPastEvent(
  reader: Reader,
  types: string[],
  { since, onProgress, signal, maxEvents = Number.POSITIVE_INFINITY }: PreviewOptions,
  each: (event: PastEvent) => void | Promise<void>,
): Promise<boolean> {
  const now = reader.now().getTime()
  let done = 0
  onProgress?.(0, 0)
  if (types.length > 0)
    for await (const rows of pagesOf(reader, types, since)) {
      signal?.throwIfAborted()
      for (const row of rows) {
        if (done === maxEvents) return false
        const event = toRecordedEvent(row)
        if (!event) continue
        await each({ ...event, decisions: decisionsOf(row) })
        done++
      }
      const last = rows.at(-1)?.recordedAt.getTime() ?? now
      const share = (last - since.getTime()) / Math.max(1, now - since.getTime())
      onProgress?.(done, Math.min(1, Math.max(0, share)))
      // Reads of SQLite are synchronous, so this lets requests run.
      await new Promise(resolve => setImmediate(resolve))
    }
  onProgress?.(done, 1)
  return true
}

function pagesOf(reader: Reader, types: string[], since: Date) {
  const { events } = reader.tables
  const { source, eventId, type, occurredAt, recordedAt, data } = events
  return eachPage(
    { recordedAt, source, eventId },
    after =>
      reader
        .select()
        .from(events)
        .where(
          and(
            // The condition of the index. Without data an event cannot be evaluated.
            isNotNull(data),
            // An event occurs at most this long after it is recorded.
            gte(recordedAt, new Date(since.getTime() - MAX_AHEAD_MS)),
            gte(occurredAt, since),
            inArray(type, types),
            isNull(events.voidedAt),
            after,
          ),
        ),
    { size: PAGE_EVENTS },
  )
}

export interface FanShares {
  /** Fans who would get anything. */
  fans: number
  /** The fans who would get most, in descending order. */
  top: { userId: string; times: number; points: number }[]
  /** Fans by how many points they would get: from 1, from 10, from 100 … */
  distribution: { from: number; fans: number }[]
}

const TOP = 10

/** `times` and `points` by fan. */
export function sharesOf(gains: ReadonlyMap<string, { times: number; points: number }>): FanShares {
  const all = [...gains].map(([userId, gain]) => ({ userId, ...gain }))
  const top = all
    .toSorted((a, b) => b.points - a.points || b.times - a.times || (a.userId < b.userId ? -1 : 1))
    .slice(0, TOP)
  const counts = new Map<number, number>()
  for (const { points } of all) {
    const from = points === 0 ? 0 : 10 ** (String(points).length - 1)
    counts.set(from, (counts.get(from) ?? 0) + 1)
  }
  const distribution = [...counts].map(([from, fans]) => ({ from, fans })).toSorted((a, b) => a.from - b.from)
  return { fans: all.length, top, distribution }
}
