/** Checks a fan in at a match, with the code that a screen at the gate shows: once per fan and match. */

import { and, count, eq, gt, gte, ne, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { CHECK_IN_STATUSES, checkInOf, kickoffsAround } from '../../club/matches/check-in-window.ts'
import { findMatch, type MatchRow, matchBetween, requireMatch } from '../../club/matches/matches.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import type { CheckInCodes } from './code.ts'
import { checkInProblems } from './problems.ts'
import type { CheckInRequest } from './schema.ts'

/** A fan cannot be in two stadiums within this time. */
const APART_MS = 3 * 3_600_000

/** A repeat returns the first check-in. `isElsewhere`: the fan checked in at another place at the same time. */
export async function checkIn(
  tx: Transaction,
  { userId }: Caller,
  { code }: CheckInRequest,
  codes: CheckInCodes,
) {
  const now = tx.clock()
  const matchId = codes.matchOf(code, now)
  if (matchId === null) throw new DomainError(checkInProblems.invalid_check_in_code)
  const values = { userId, matchId, checkedInAt: tx.now() }
  const [created] = await insertCheckIn(tx, values, kickoffsAround(now))
  const [row] = created ? [created] : await selectCheckIn(tx, userId, matchId)
  if (!row) throw closedProblem(await findMatch(tx, matchId), now)
  const result = { checkIn: { matchId, checkedInAt: row.checkedInAt.toISOString() }, userId }
  if (!created) return { ...result, created: false, isElsewhere: false }
  // never match_not_found: the check-in refers to it.
  const match = await requireMatch(tx, matchId)
  const { competition, season, round, homeTeamId, awayTeamId, venue } = match
  const data = { matchId, competition, season, round, homeTeamId, awayTeamId, venue }
  const isElsewhere = await wasElsewhere(tx, userId, match)
  await recordEvent(tx, { userId, type: 'match.checked_in', data })
  return { ...result, created: true, isElsewhere }
}

/** The current code for the gate. @throws DomainError `match_not_found` */
export async function readCheckInCode(reader: Reader, codes: CheckInCodes, matchId: string) {
  const { id } = await requireMatch(reader, matchId)
  const { code, validUntil } = codes.issue(id, reader.now())
  return { code, validUntil: validUntil.toISOString() }
}

/** How many fans have checked in at the match. */
export async function countCheckIns(reader: Reader, matchId: string): Promise<number> {
  const { checkIns } = reader.tables
  const [row] = await reader.select({ fans: count() }).from(checkIns).where(eq(checkIns.matchId, matchId))
  return row?.fans ?? 0
}

const MINUTE_MS = 60_000

/** Check-ins of the match in each of the last minutes, earliest first; the last one is not over. */
export async function countCheckInsByMinute(reader: Reader, matchId: string, minutes: number) {
  const now = reader.now().getTime()
  const from = now - (now % MINUTE_MS) - (minutes - 1) * MINUTE_MS
  const begins = Array.from({ length: minutes }, (_, nth) => new Date(from + nth * MINUTE_MS))
  const { checkIns } = reader.tables
  const { checkedInAt } = checkIns
  const isSince = (begin: Date) =>
    sql`coalesce(sum(case when ${checkedInAt} >= ${sql.param(begin, checkedInAt)} then 1 else 0 end), 0)`.mapWith(
      Number,
    )
  const [sums] = await reader
    .select(Object.fromEntries(begins.map((begin, nth) => [nth, isSince(begin)])))
    .from(checkIns)
    .where(and(eq(checkIns.matchId, matchId), gte(checkedInAt, new Date(from))))
  const since = (nth: number): number => sums?.[nth] ?? 0
  return begins.map((begin, nth) => ({ at: begin.toISOString(), checkIns: since(nth) - since(nth + 1) }))
}

/** The reason why the match accepts no check-ins now. */
function closedProblem(match: MatchRow | undefined, now: Date) {
  const refuse = (detail?: string, opensAt?: string) =>
    new DomainError(checkInProblems.check_in_closed, { detail, opensAt })
  const window = match && checkInOf(match)
  if (!window) return refuse(match && `The match is ${match.status}.`)
  const [opensAt, closesAt] = [window.opensAt.toISOString(), window.closesAt.toISOString()]
  return window.opensAt > now
    ? refuse(`Check-in opens at ${opensAt}.`, opensAt)
    : refuse(`Check-in closed at ${closesAt}.`)
}

type CheckInRow = Tables['checkIns']['$inferSelect']

/** Inserts nothing if the fan has checked in before, or if check-in is closed. */
const insertCheckIn = prepared(
  (tx: Transaction, { userId, matchId, checkedInAt }: CheckInRow, kickoffs: { from: Date; to: Date }) => {
    const { checkIns } = tx.tables
    const open = matchBetween(tx, { matchId, statuses: CHECK_IN_STATUSES, ...kickoffs }).as('open')
    return tx
      .insert(checkIns)
      .select(
        tx
          .select({
            userId: sql<string>`${userId}`.as('user_id'),
            matchId: open.id,
            checkedInAt: sql<Date>`${checkedInAt}`.as('checked_in_at'),
          })
          .from(open)
          .where(sql`true`),
      )
      .onConflictDoNothing()
      .returning()
  },
)

const selectCheckIn = prepared((reader: Reader, userId: string, matchId: string) => {
  const { checkIns } = reader.tables
  return reader
    .select()
    .from(checkIns)
    .where(and(eq(checkIns.userId, userId), eq(checkIns.matchId, matchId)))
})

/** Whether the fan checked in at another place shortly before. Two matches may be at one venue. */
async function wasElsewhere(tx: Transaction, userId: string, match: MatchRow): Promise<boolean> {
  const since = new Date(tx.now().getTime() - APART_MS)
  for (const { matchId } of await selectOthers(tx, userId, match.id, since)) {
    // never match_not_found: check-ins refer to it.
    const { venue } = await requireMatch(tx, matchId)
    if (venue === null || venue !== match.venue) return true
  }
  return false
}

const selectOthers = prepared((reader: Reader, userId: string, matchId: string, since: Date) => {
  const { checkIns } = reader.tables
  return reader
    .select({ matchId: checkIns.matchId })
    .from(checkIns)
    .where(and(eq(checkIns.userId, userId), ne(checkIns.matchId, matchId), gt(checkIns.checkedInAt, since)))
})
