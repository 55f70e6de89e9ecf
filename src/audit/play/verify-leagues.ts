/** Compares leagues with their members, and what their members had earned before with the ledger. */
import { and, asc, count, eq, isNull, ne, or } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { differs, type Finding } from '../../core/finding.ts'
import { predictionBoard } from '../../economy/leaderboard/boards.ts'
import { listEnrolments } from '../../economy/leaderboard/enrolment.ts'
import { earnedBefore } from '../../economy/points/baselines.ts'
import { earnedBetween } from '../../economy/points/earned-between.ts'
import { readSeams, readSeamsOf } from '../../economy/points/seams.ts'
import { listMergedIds } from '../../identity/users/merges.ts'
import { finalPointsOf, isCountedIn } from '../../play/leagues/counting.ts'
import { drawRound } from '../../play/leagues/draw.ts'
import { countsFromOf } from '../../play/leagues/leagues.ts'
import { matchPointsOf } from '../../play/leagues/rounds.ts'

/** Needs a snapshot: an entry and the baseline that it changes are written together. */
export async function findWrongBaselines(reader: Reader, range: Range): Promise<Finding[]> {
  const { leagues, leagueMembers: members, pointsAccounts } = reader.tables
  const rows = await reader
    .select({ league: leagues, member: members, countedFrom: pointsAccounts.countedFrom })
    .from(members)
    .innerJoin(leagues, eq(leagues.id, members.leagueId))
    .leftJoin(pointsAccounts, eq(pointsAccounts.userId, members.userId))
    .where(inRange(members.userId, range))
  if (rows.length === 0) return []
  const seams = await readSeamsOf(reader, range)
  const findings: Finding[] = []
  for (const { league, member, countedFrom } of rows) {
    const { leagueId, userId, countsFrom, baseline, joinedAt } = member
    const what = (column: string) => `league_members.${column} of ${leagueId}`
    findings.push(...differs(userId, what('counts_from'), countsFromOf(league, joinedAt), countsFrom))
    if (countsFrom === null) {
      findings.push(...differs(userId, what('baseline'), 0, baseline))
      continue
    }
    if (countedFrom === null || countedFrom < countsFrom)
      findings.push(...differs(userId, 'points_accounts.counted_from', countsFrom, countedFrom))
    // Archived entries do not tell when they were earned.
    if (seams.has(userId)) continue
    const expected = await earnedBefore(reader, userId, league.board, countsFrom)
    findings.push(...differs(userId, what('baseline'), expected, baseline))
  }
  return findings
}

/** Each statement is one snapshot: a league and its members are written together. */
export async function findWrongLeagues(reader: Reader): Promise<Finding[]> {
  const { leagues, leagueMembers: members } = reader.tables
  const { id, scoring, season, board, ownerId } = leagues
  const counts = await reader
    .select({
      id,
      scoring,
      season,
      board,
      members: leagues.members,
      counted: count(members.userId),
    })
    .from(leagues)
    .leftJoin(members, eq(members.leagueId, id))
    .groupBy(id, scoring, season, board, leagues.members)
  const ownerless = await reader
    .select({ id, ownerId })
    .from(leagues)
    .leftJoin(members, and(eq(members.leagueId, id), eq(members.userId, ownerId)))
    .where(or(isNull(members.userId), ne(members.userId, ownerId)))
  return [
    ...counts.flatMap(({ id, scoring, season, board, members, counted }) => {
      const expected = scoring === 'points' ? 'all' : predictionBoard(season).id
      return [
        ...differs(null, `leagues.members of ${id}`, Number(counted), members),
        ...differs(null, `leagues.board of ${id}`, expected, board),
      ]
    }),
    ...ownerless.flatMap(({ id, ownerId }) => differs(null, `leagues.owner_id of ${id}`, null, ownerId)),
  ]
}

/** Draws the rounds again, and computes the points of closed ones. Needs a snapshot. */
export async function findWrongRounds(reader: Reader): Promise<Finding[]> {
  const { leagues } = reader.tables
  const rows = await reader.select().from(leagues).orderBy(asc(leagues.id))
  const findings: Finding[] = []
  for (const league of rows) findings.push(...(await findWrongIn(reader, league)))
  return findings
}

type LeagueRow = Tables['leagues']['$inferSelect']
type MemberRow = Tables['leagueMembers']['$inferSelect']

async function findWrongIn(reader: Reader, league: LeagueRow): Promise<Finding[]> {
  const { leagueRounds, leaguePairs, leagueMembers } = reader.tables
  const { id, format, seed, rounds: number } = league
  const members = await reader.select().from(leagueMembers).where(eq(leagueMembers.leagueId, id))
  const isOf = eq(leagueRounds.leagueId, id)
  const rounds = await reader.select().from(leagueRounds).where(isOf).orderBy(asc(leagueRounds.number))
  const pairs = await reader
    .select()
    .from(leaguePairs)
    .where(eq(leaguePairs.leagueId, id))
    .orderBy(asc(leaguePairs.round), asc(leaguePairs.position))
  const findings = [
    ...differs(null, `leagues.format of ${id}`, seed === null ? 'table' : 'head_to_head', format),
    ...differs(null, `leagues.seed of ${id}`, true, seed === null || /^[0-9a-f]{32}$/.test(seed)),
    ...differs(null, `leagues.rounds of ${id}`, rounds.length, number),
    ...(await findWrongFinals(reader, league, members)),
  ]
  if (league.finalAt && rounds.length > 0)
    findings.push(...differs(null, `leagues.ends_at of ${id}`, rounds.at(-1)?.endsAt ?? null, league.endsAt))
  const comparable = await comparableMembers(reader, members)
  const gained = new Map<number, number>()
  for (const round of rounds) {
    const what = (column: string) => `${column} of round ${round.number} of ${id}`
    const before = rounds[round.number - 2]
    if (before) findings.push(...differs(null, what('starts_at'), before.endsAt, round.startsAt))
    const drawn = pairs.filter(pair => pair.round === round.number)
    const numbers = drawn.flatMap(({ home, away }) => (away === null ? [home] : [home, away]))
    const expected = drawRound(seed ?? '', round.number, numbers)
    const shown = drawn.map(({ position, home, away }) => [position, home, away])
    const wanted = expected.map(({ home, away }, position) => [position, home, away])
    findings.push(...differs(null, what('pairs'), JSON.stringify(wanted), JSON.stringify(shown)))
    for (const { number, points } of drawn.flatMap(matchPointsOf))
      gained.set(number, (gained.get(number) ?? 0) + points)
    const isClosed = drawn.every(({ homePoints, awayPoints, away }) =>
      round.closedAt ? homePoints !== null && (away === null) === (awayPoints === null) : homePoints === null,
    )
    findings.push(...differs(null, what('closed'), true, isClosed))
    if (round.closedAt) findings.push(...(await findWrongPoints(reader, league, round, drawn, comparable)))
  }
  return [
    ...findings,
    ...members.flatMap(({ userId, number, matchPoints }) =>
      differs(userId, `league_members.match_points of ${id}`, gained.get(number) ?? 0, matchPoints),
    ),
  ]
}

/** Of a member whose ledger has other entries than when a round was closed, nothing is known: merged fans, and those with an archive. */
async function comparableMembers(reader: Reader, members: MemberRow[]) {
  const userIds = members.map(({ userId }) => userId)
  const merged = await listMergedIds(reader, userIds)
  const seams = await readSeams(reader, userIds)
  return members.filter(({ userId, number }) => number > 0 && !merged.has(userId) && !seams.has(userId))
}

async function findWrongPoints(
  reader: Reader,
  league: LeagueRow,
  { number: round, startsAt, endsAt, closedAt }: Tables['leagueRounds']['$inferSelect'],
  pairs: Tables['leaguePairs']['$inferSelect'][],
  members: MemberRow[],
): Promise<Finding[]> {
  const userIds = members.map(({ userId }) => userId)
  const period = {
    board: league.board,
    from: startsAt,
    to: endsAt,
    isCounted: await isCountedIn(reader, league),
  }
  const earned = await earnedBetween(reader, userIds, period)
  const enrolled = await listEnrolments(reader, userIds)
  const stored = new Map(
    pairs.flatMap(({ home, homePoints, away, awayPoints }) => [
      [home, homePoints] as const,
      ...(away === null ? [] : [[away, awayPoints] as const]),
    ]),
  )
  return members.flatMap(({ userId, number }) => {
    const points = stored.get(number)
    if (points == null) return []
    const enrolledAt = enrolled.get(userId)
    // Who is not on the leaderboards now may have been, and the reverse.
    const wasEnrolled = enrolledAt && closedAt && enrolledAt < closedAt
    if (!wasEnrolled && points === 0) return []
    return differs(userId, `points of round ${round} of ${league.id}`, earned.get(userId) ?? 0, points)
  })
}

async function findWrongFinals(reader: Reader, league: LeagueRow, members: MemberRow[]): Promise<Finding[]> {
  const { id, finalAt } = league
  const what = `league_members.final_points of ${id}`
  if (!finalAt) return members.flatMap(({ userId, finalPoints }) => differs(userId, what, null, finalPoints))
  const comparable = await comparableMembers(reader, members)
  const final = await finalPointsOf(reader, league, comparable)
  const enrolled = await listEnrolments(
    reader,
    comparable.map(({ userId }) => userId),
  )
  return comparable.flatMap(({ userId, finalPoints }) => {
    const enrolledAt = enrolled.get(userId)
    if (!(enrolledAt && enrolledAt < finalAt)) return []
    return differs(userId, what, final.get(userId) ?? 0, finalPoints)
  })
}
