/** A fan's points, newest first. */

import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { idFrom } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import { parseQueryInstant } from '../../core/instant.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import type { PointsEntry } from './account.ts'
import { readNextExpiry } from './expiry.ts'
import { heldOf } from './holds.ts'
import type { PointsQuery } from './schema.ts'

/** The query filters the entries only: balance and lifetime points include all entries. */
type HistoryFilter = Pick<PointsQuery, 'reason' | 'since' | 'until'>

export async function readHistory(
  reader: Reader,
  cursors: Cursors,
  { userId }: Viewer,
  { limit, cursor, reason, ...filter }: Page & HistoryFilter,
  /** Days after which points end; 0: never. */
  expireAfterDays: number,
) {
  const { pointsEntries } = reader.tables
  // The name of the list contains the fan and the filter, so that a cursor of another list is invalid.
  // Validated by the schema. Two spellings of an instant are one filter.
  const since = filter.since === undefined ? null : parseQueryInstant(filter.since)
  const until = filter.until === undefined ? null : parseQueryInstant(filter.until)
  const list = JSON.stringify(['points', userId, reason, since, until])
  const before = cursors.decode(list, cursor)
  const expiring =
    expireAfterDays === 0 ? {} : { expiring: await readNextExpiry(reader, userId, expireAfterDays) }
  const only = and(
    before === undefined ? undefined : lt(pointsEntries.seq, Number(before)),
    reason && eq(pointsEntries.reason, reason),
    since ? gte(pointsEntries.createdAt, since) : undefined,
    until ? lt(pointsEntries.createdAt, until) : undefined,
  )
  // The unfiltered first page is the most frequent request.
  const of = { userId, now: reader.now() }
  const rows = await (only ? selectEntries(reader, of, limit + 1, only) : selectNewest(reader, of, limit + 1))
  const { balance = 0, held = 0, lifetime = 0, archivedUntil = null } = rows[0]?.account ?? {}
  const entries = rows.flatMap(({ entry }) => entry ?? [])
  const { shown, nextCursor } = cutPage(entries, limit, last => cursors.encode(list, last.seq))
  const archive = archivedUntil ? { archivedUntil: archivedUntil.toISOString() } : {}
  return { balance, held, lifetime, ...expiring, ...archive, entries: shown.map(presentEntry), nextCursor }
}

const selectNewest = prepared((reader: Reader, of: { userId: string; now: Date }, limit: number) =>
  selectEntries(reader, of, limit),
)

/** A fan's account and newest entries, in one statement: the balance is the one after the newest entry. */
function selectEntries(reader: Reader, of: { userId: string; now: Date }, limit: number, only?: SQL) {
  const { pointsAccounts, pointsEntries, archiveSeams } = reader.tables
  const { balance, lifetime } = pointsAccounts
  return reader
    .select({
      account: {
        balance,
        lifetime,
        held: heldOf(reader, of.userId, of.now),
        archivedUntil: archiveSeams.until,
      },
      entry: pointsEntries,
    })
    .from(pointsAccounts)
    .leftJoin(archiveSeams, eq(archiveSeams.userId, pointsAccounts.userId))
    .leftJoin(pointsEntries, and(eq(pointsEntries.userId, pointsAccounts.userId), only))
    .where(eq(pointsAccounts.userId, of.userId))
    .orderBy(desc(pointsEntries.seq))
    .limit(limit)
}

/** The fans with entries of a span of time, in any order. */
export async function listFansOfEntries(reader: Reader, from: Date, until: Date): Promise<string[]> {
  const { pointsEntries: entries } = reader.tables
  const rows = await reader
    .selectDistinct({ userId: entries.userId })
    .from(entries)
    .where(and(gte(entries.id, idFrom(from)), lt(entries.id, idFrom(until))))
  return rows.map(({ userId }) => userId)
}

/** SQL for a fan's newest entries, as a part of a larger statement. */
export function newestEntries(reader: Reader, userId: string, limit: number) {
  const { pointsEntries } = reader.tables
  return reader
    .select()
    .from(pointsEntries)
    .where(eq(pointsEntries.userId, userId))
    .orderBy(desc(pointsEntries.seq))
    .limit(limit)
    .as('newest')
}

/** SQL for a fan's balance; zero without an account. */
export function balanceOf({ tables }: Pick<Reader, 'tables'>, userId: string): SQL<number> {
  const { pointsAccounts } = tables
  return sql<number>`coalesce((select ${pointsAccounts.balance} from ${pointsAccounts}
    where ${pointsAccounts.userId} = ${userId}), 0)`.mapWith(Number)
}

export function presentEntry({ id, seq, delta, balanceAfter, reason, ref, createdAt, hash }: PointsEntry) {
  return { id, seq, delta, balanceAfter, reason, ref, createdAt: createdAt.toISOString(), hash }
}
