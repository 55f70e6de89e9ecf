/**
 * Changes of matches, for other systems: of no fan, so rules, quests and streams of fans do not get them. Kept, so that
 * the sequence of a match never begins again.
 */
import { sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { rowFrom } from '../../../db/insert-select.ts'
import { prepared } from '../../../db/prepared.ts'
import { currentRevision } from '../../club/catalogue/versions.ts'
import { type MatchRow, presentMatch } from '../../club/matches/matches.ts'
import type { MatchEvent } from './event.ts'
import { AWAITING, outboxOf } from './outbox.ts'
import { APPLICATION, MATCH_UPDATED } from './types.ts'

type MatchEventRow = Tables['matchEvents']['$inferSelect']

export const matchOutbox = outboxOf('matchEvents')

/** Records the state of a match that has changed, if a subscriber asks for it. The match is locked, which orders its events. */
export async function recordMatchUpdate(tx: Transaction, match: MatchRow): Promise<void> {
  if (!(await isAskedFor(tx))) return
  const { id, checkIn: _, sponsorId: _s, ...state } = presentMatch(match)
  await insertNext(tx, id, { recordedAt: tx.now(), data: JSON.stringify(state) })
  tx.spine.events.awaiting.announce(tx)
}

async function isAskedFor(tx: Transaction): Promise<boolean> {
  for (const subscriber of tx.spine.events.subscribers)
    if ((await subscriber.load(tx))(MATCH_UPDATED)) return true
  return false
}

const insertNext = prepared(
  (tx: Transaction, matchId: string, row: Pick<MatchEventRow, 'recordedAt' | 'data'>) => {
    const { matchEvents } = tx.tables
    const queries = {
      newest: sql`select max(${matchEvents.sequence}) from ${matchEvents} where ${matchEvents.matchId} = ${matchId}`,
      revision: currentRevision(tx),
    }
    return tx.insert(matchEvents).select(
      rowFrom(matchEvents, queries, ({ newest, revision }) => ({
        matchId,
        ...row,
        position: AWAITING,
        sequence: sql`coalesce(${newest}, 0) + 1`,
        catalogueRevision: sql`coalesce(${revision}, 0)`,
      })),
    )
  },
)

const matchEventOf = ({ matchId, sequence, recordedAt, data }: MatchEventRow): MatchEvent => ({
  matchId,
  sequence,
  type: MATCH_UPDATED,
  source: APPLICATION,
  eventId: `${matchId}:${sequence}`,
  // Guarantee of the cast: only this file writes the column.
  occurredAt: recordedAt,
  recordedAt,
  data: JSON.parse(data) as Record<string, unknown>,
})

/**
 * Assigns the positions after `last` to up to `max` waiting events, and returns them in this order. The
 * distribution must be locked.
 */
export async function takeMatchEvents(tx: Transaction, last: number, max: number) {
  const rows = await matchOutbox.takeOldest(tx, { after: '', last, max })
  return rows.map(row => ({
    ...matchEventOf(row),
    position: row.position,
    revision: row.catalogueRevision,
  }))
}

/** The events of up to `limit` positions after `after` and up to `upTo`, in the order of positions. */
export async function readMatchEventsBetween(reader: Reader, after: number, upTo: number, limit: number) {
  const rows = await matchOutbox.readBetween(reader, after, upTo, limit)
  return rows.map(row => ({ position: row.position, recordedAt: row.recordedAt, event: matchEventOf(row) }))
}
