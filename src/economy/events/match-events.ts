/**
 * Changes of matches, for other systems: of no fan, so rules, quests and streams of fans do not get them. Kept, so that
 * the sequence of a match never begins again.
 */
import { and, asc, count, eq, getTableColumns, gt, lte, min, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { currentRevision } from '../../club/catalogue/versions.ts'
import { type MatchRow, presentMatch } from '../../club/matches/matches.ts'
import type { MatchEvent } from './event.ts'
import { APPLICATION, MATCH_UPDATED } from './types.ts'

type Row = Tables['matchEvents']['$inferSelect']

/** Records the state of a match that has changed, if a subscriber asks for it. The match is locked, which orders its events. */
export async function recordMatchUpdate(tx: Transaction, match: MatchRow): Promise<void> {
  if (!(await isAskedFor(tx))) return
  const { id, checkIn: _, ...state } = presentMatch(match)
  await insertNext(tx, id, { recordedAt: tx.now(), data: JSON.stringify(state) })
  tx.spine.events.awaiting.announce(tx)
}

async function isAskedFor(tx: Transaction): Promise<boolean> {
  for (const subscriber of tx.spine.events.subscribers)
    if ((await subscriber.load(tx))(MATCH_UPDATED)) return true
  return false
}

const insertNext = prepared((tx: Transaction, matchId: string, row: Pick<Row, 'recordedAt' | 'data'>) => {
  const { matchEvents } = tx.tables
  const newest = sql`select max(${matchEvents.sequence}) from ${matchEvents} where ${matchEvents.matchId} = ${matchId}`
  return tx.insert(matchEvents).values({
    ...{ matchId, ...row, position: 0 },
    sequence: sql`coalesce((${newest}), 0) + 1`,
    catalogueRevision: sql`coalesce(${currentRevision(tx)}, 0)`,
  })
})

const matchEventOf = ({ matchId, sequence, recordedAt, data }: Row): MatchEvent => ({
  ...{ matchId, sequence, type: MATCH_UPDATED, source: APPLICATION, eventId: `${matchId}:${sequence}` },
  // Guarantee of the cast: only this file writes the column.
  ...{ occurredAt: recordedAt, recordedAt, data: JSON.parse(data) as Record<string, unknown> },
})

/** Literal: a parameter would not match the partial index. */
const isAwaiting = ({ tables }: Pick<Reader, 'tables'>) => sql`${tables.matchEvents.position} = 0`

/** Gives up to `max` events that wait the positions after `last`. Returns them in this order. The distribution is locked. */
export async function assignMatchPositions(tx: Transaction, last: number, max: number) {
  const rows = await assignPositions(tx, last, max)
  return rows
    .toSorted((a, b) => a.position - b.position)
    .map(row => ({ ...matchEventOf(row), position: row.position, revision: row.catalogueRevision }))
}

const assignPositions = prepared((tx: Transaction, last: number, max: number) => {
  const { matchEvents } = tx.tables
  const { matchId, sequence } = matchEvents
  const batch = tx
    .select({ matchId, sequence })
    .from(matchEvents)
    .where(isAwaiting(tx))
    .orderBy(asc(matchId), asc(sequence))
    .limit(max)
    .as('batch')
  const numbered = tx
    .select({
      matchId: batch.matchId,
      sequence: batch.sequence,
      number: sql<number>`row_number() over (order by ${batch.matchId}, ${batch.sequence})`.as('number'),
    })
    .from(batch)
    .as('numbered')
  return tx
    .update(matchEvents)
    .set({ position: sql`${last} + ${numbered.number}` })
    .from(numbered)
    .where(and(eq(matchId, numbered.matchId), eq(sequence, numbered.sequence)))
    .returning(getTableColumns(matchEvents))
})

/** Those of up to `limit` positions from `after` to `upTo`, in the order of positions. */
export async function readMatchEventsBetween(reader: Reader, after: number, upTo: number, limit: number) {
  const rows = await selectBetween(reader, after, upTo, limit)
  return rows.map(row => ({ position: row.position, recordedAt: row.recordedAt, event: matchEventOf(row) }))
}

const selectBetween = prepared((reader: Reader, after: number, upTo: number, limit: number) => {
  const { matchEvents } = reader.tables
  const { position } = matchEvents
  return reader
    .select()
    .from(matchEvents)
    .where(and(sql`${position} > 0`, gt(position, after), lte(position, upTo)))
    .orderBy(asc(position))
    .limit(limit)
})

/** How many wait, and when the oldest of them was recorded; null if none does. */
export async function countAwaitingMatchEvents(
  reader: Reader,
): Promise<{ pending: number; since: Date | null }> {
  const { matchEvents } = reader.tables
  const [row] = await reader
    .select({ pending: count(), since: min(matchEvents.recordedAt) })
    .from(matchEvents)
    .where(isAwaiting(reader))
  return row ?? { pending: 0, since: null }
}

/** Whether any waits: cheap enough for a poll. */
export const anyMatchEventAwaits = async (reader: Reader): Promise<boolean> =>
  (await selectOne(reader)).length > 0

const selectOne = prepared((reader: Reader) =>
  reader.select({ one: sql`1` }).from(reader.tables.matchEvents).where(isAwaiting(reader)).limit(1),
)
