/**
 * Rounds of a league head to head, and the end of a season of points. A round is a week of the club. Each step of a league is one unit of
 * work, with the row of the league locked: of several processes one takes it, and after a crash the next process does.
 */
import { and, asc, count, eq, gt, lt, lte, min } from 'drizzle-orm'
import { restAfter } from '../../../db/batches.ts'
import { insertRows } from '../../../db/bulk.ts'
import type { Database, Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { windowAt } from '../../core/windows.ts'
import { finalAfter } from '../../economy/points/earned-between.ts'
import { listMergedIds } from '../../identity/users/merges.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import { finalPointsOf, pointsOf } from './counting.ts'
import { drawRound } from './draw.ts'
import { lockLeague } from './rows.ts'
import type { LeagueRow } from './table.ts'

export type RoundRow = Tables['leagueRounds']['$inferSelect']
export type PairRow = Tables['leaguePairs']['$inferSelect']

const WON = 3
const DRAWN = 1
/** Leagues of one look-up. */
const TOGETHER = 50

/** Any number of processes may run it at the same time. Returns the number of steps. */
export async function advanceLeagues(
  { db }: { db: Database },
  stopping: () => boolean = () => false,
): Promise<number> {
  const now = db.read.now()
  let sum = 0
  while (!stopping()) {
    // A league with several steps due is found again.
    const due = await selectDue(db.read, now)
    if (due.length === 0) break
    for (const { id } of due) {
      if (stopping()) return sum
      const began = performance.now()
      const earned = await earnedSoFar(db.read, id)
      if (await db.write(tx => advanceLeague(tx, id, { now, earned }))) sum++
      await restAfter(began)
    }
  }
  return sum
}

/** For metrics: the leagues that wait for a step, and since when the first of them does; null without one. */
export async function readDueLeagues(reader: Reader): Promise<{ due: number; since: Date | null }> {
  const { leagues } = reader.tables
  const [row] = await reader
    .select({ due: count(), since: min(leagues.dueAt) })
    .from(leagues)
    .where(lte(leagues.dueAt, reader.now()))
  return { due: Number(row?.due), since: row?.since ?? null }
}

const selectDue = prepared((reader: Reader, now: Date) => {
  const { leagues } = reader.tables
  return reader
    .select({ id: leagues.id })
    .from(leagues)
    .where(lte(leagues.dueAt, now))
    .orderBy(asc(leagues.dueAt), asc(leagues.id))
    .limit(TOGETHER)
})

interface Earned {
  round: number
  /** By `keysOf` of the fan. */
  points: Map<string, number>
}

/** The keys of fans, which change with a merge. */
async function keysOf(reader: Reader, userIds: string[]): Promise<Map<string, string>> {
  const merged = await listMergedIds(reader, userIds)
  return new Map(userIds.map(userId => [userId, [userId, ...(merged.get(userId) ?? [])].join(' ')]))
}

/** What the members have earned in an open round, which is final by now: it is read before other writes wait for the unit of work. */
async function earnedSoFar(reader: Reader, leagueId: string): Promise<Earned | undefined> {
  const { leagues } = reader.tables
  const [league] = await reader.select().from(leagues).where(eq(leagues.id, leagueId))
  const open = league && (await findRound(reader, leagueId, league.rounds))
  if (!open || open.closedAt) return undefined
  const userIds = (await listMembers(reader, leagueId)).map(({ userId }) => userId)
  const keys = await keysOf(reader, userIds)
  const points = await pointsOf(reader, league, { from: open.startsAt, to: open.endsAt }, userIds)
  const byKey = [...keys].map(([userId, key]) => [key, points.get(userId) ?? 0] as const)
  return { round: open.number, points: new Map(byKey) }
}

/** As `earnedSoFar`, with the members who were merged since then. */
async function earnedIn(
  tx: Transaction,
  league: LeagueRow,
  { number, startsAt: from, endsAt: to }: RoundRow,
  { userIds, earned }: { userIds: string[]; earned: Earned | undefined },
): Promise<Map<string, number>> {
  // Another process may have closed the round that was read, and drawn the next one.
  const known = earned?.round === number ? earned.points : new Map<string, number>()
  const keys = await keysOf(tx, userIds)
  const unread = userIds.filter(userId => !known.has(keys.get(userId) ?? ''))
  const read = unread.length === 0 ? undefined : await pointsOf(tx, league, { from, to }, unread)
  return new Map(userIds.map(userId => [userId, known.get(keys.get(userId) ?? '') ?? read?.get(userId) ?? 0]))
}

/** False if another process has taken the step. */
async function advanceLeague(
  tx: Transaction,
  leagueId: string,
  { now, earned }: { now: Date; earned: Earned | undefined },
): Promise<boolean> {
  const league = await lockLeague(tx, leagueId)
  if (!league?.dueAt || league.dueAt > now) return false
  const { leagues } = tx.tables
  const change = await takeStep(tx, { league, dueAt: league.dueAt, earned })
  await tx.update(leagues).set(change).where(eq(leagues.id, leagueId))
  return true
}

type Step = Pick<LeagueRow, 'dueAt'> & Partial<Pick<LeagueRow, 'rounds' | 'finalAt'>>

async function takeStep(
  tx: Transaction,
  { league, dueAt, earned }: { league: LeagueRow; dueAt: Date; earned: Earned | undefined },
): Promise<Step> {
  if (league.format === 'table') return endSeason(tx, league)
  const open = await findRound(tx, league.id, league.rounds)
  if (open && !open.closedAt) {
    await closeRound(tx, { league, round: open, earned })
    return { dueAt: open.endsAt }
  }
  const startsAt = open?.endsAt ?? dueAt
  if (league.endsAt && startsAt >= league.endsAt) {
    const finalAt = finalAfter(league.endsAt)
    return finalAt > tx.now() ? { dueAt: finalAt } : endSeason(tx, league)
  }
  return openRound(tx, league, startsAt)
}

const findRound = async (reader: Reader, leagueId: string, number: number) =>
  (await selectRound(reader, leagueId, number))[0]

const selectRound = prepared((reader: Reader, leagueId: string, number: number) => {
  const { leagueRounds: rounds } = reader.tables
  return reader
    .select()
    .from(rounds)
    .where(and(eq(rounds.leagueId, leagueId), eq(rounds.number, number)))
})

/** Of the members who had joined by then. */
async function openRound(tx: Transaction, { id, rounds, seed, endsAt }: LeagueRow, startsAt: Date) {
  const { leagueMembers: members, leagueRounds, leaguePairs } = tx.tables
  const { key: week, endsAt: weekEndsAt } = windowAt('week', startsAt, await timeZoneOf(tx))
  const round = rounds + 1
  const end = endsAt && endsAt < weekEndsAt ? endsAt : weekEndsAt
  const playing = await tx
    .select({ number: members.number })
    .from(members)
    .where(and(eq(members.leagueId, id), lt(members.joinedAt, startsAt), gt(members.number, 0)))
    .orderBy(asc(members.number))
  const pairs = drawRound(
    seed ?? '',
    round,
    playing.map(({ number }) => number),
  )
  await tx.insert(leagueRounds).values({ leagueId: id, number: round, week, startsAt, endsAt: end })
  await insertRows(
    tx,
    leaguePairs,
    pairs.map((pair, position) => ({ leagueId: id, round, position, ...pair })),
  )
  return { rounds: round, dueAt: finalAfter(end) }
}

async function closeRound(
  tx: Transaction,
  { league, round: open, earned: read }: { league: LeagueRow; round: RoundRow; earned: Earned | undefined },
) {
  const { number: round } = open
  const { leagueMembers: members, leagueRounds: rounds, leaguePairs } = tx.tables
  const { id: leagueId } = league
  const isRound = and(eq(leaguePairs.leagueId, leagueId), eq(leaguePairs.round, round))
  const pairs = await tx.select().from(leaguePairs).where(isRound).orderBy(asc(leaguePairs.position))
  const playing = new Map((await listMembers(tx, leagueId)).map(member => [member.number, member]))
  const userIds = [...playing.values().map(({ userId }) => userId)]
  const earned = await earnedIn(tx, league, open, { userIds, earned: read })
  const pointsOfNumber = (number: number) => earned.get(playing.get(number)?.userId ?? '') ?? 0
  const closed = pairs.map(pair => ({
    ...pair,
    homePoints: pointsOfNumber(pair.home),
    awayPoints: pair.away === null ? null : pointsOfNumber(pair.away),
  }))
  await insertRows(tx, leaguePairs, closed, { set: ['homePoints', 'awayPoints'] })
  const gained = closed.flatMap(pair => matchPointsOf(pair))
  const rows = gained.flatMap(({ number, points }) => {
    const member = playing.get(number)
    return member && points > 0 ? { ...member, matchPoints: member.matchPoints + points } : []
  })
  await insertRows(tx, members, rows, { set: ['matchPoints'] })
  await tx
    .update(rounds)
    .set({ closedAt: tx.now(), tellFrom: closed.length > 0 ? 0 : null })
    .where(and(eq(rounds.leagueId, leagueId), eq(rounds.number, round)))
}

type Closed = Pick<PairRow, 'home' | 'away' | 'homePoints' | 'awayPoints'>

/** What the members of a pair get. Nothing without an opponent. */
export function matchPointsOf({ home, away, homePoints, awayPoints }: Closed) {
  if (away === null || homePoints === null || awayPoints === null) return []
  const pointsFor = (own: number, other: number) => (own > other ? WON : own === other ? DRAWN : 0)
  return [
    { number: home, points: pointsFor(homePoints, awayPoints) },
    { number: away, points: pointsFor(awayPoints, homePoints) },
  ]
}

const listMembers = prepared((reader: Reader, leagueId: string) => {
  const { leagueMembers: members } = reader.tables
  return reader.select().from(members).where(eq(members.leagueId, leagueId))
})

/** Stores the points of the season, so that the table no longer changes. */
async function endSeason(tx: Transaction, league: LeagueRow): Promise<Step> {
  const { id, startsAt, endsAt } = league
  if (!startsAt || !endsAt) return { dueAt: null }
  const members = await listMembers(tx, id)
  const final = await finalPointsOf(tx, league, members)
  const rows = members.map(member => ({ ...member, finalPoints: final.get(member.userId) ?? 0 }))
  await insertRows(tx, tx.tables.leagueMembers, rows, { set: ['finalPoints'] })
  return { dueAt: null, finalAt: tx.now() }
}
