/** Compares leagues with their members, and what their members had earned before with the ledger. */
import { and, count, eq, isNull, max, ne, or } from 'drizzle-orm'
import { inRange, type Range } from '../../../../db/id-range.ts'
import type { Reader } from '../../../../db/index.ts'
import { differs, type Finding } from '../../../core/finding.ts'
import { predictionBoard } from '../../../economy/leaderboard/boards.ts'
import { earnedBefore } from '../../../economy/points/baselines.ts'
import { readSeamsOf } from '../../../economy/points/seams.ts'
import { countsFromOf } from '../../../play/leagues/leagues.ts'

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
      joined: leagues.joined,
      members: leagues.members,
      counted: count(members.userId),
      last: max(members.number),
    })
    .from(leagues)
    .leftJoin(members, eq(members.leagueId, id))
    .groupBy(id, scoring, season, board, leagues.joined, leagues.members)
  const ownerless = await reader
    .select({ id, ownerId })
    .from(leagues)
    .leftJoin(members, and(eq(members.leagueId, id), eq(members.userId, ownerId)))
    .where(or(isNull(members.userId), ne(members.userId, ownerId)))
  return [
    ...counts.flatMap(({ id, scoring, season, board, joined, members, counted, last }) => {
      const expected = scoring === 'points' ? 'all' : predictionBoard(season).id
      return [
        ...differs(null, `leagues.members of ${id}`, Number(counted), members),
        ...differs(null, `leagues.board of ${id}`, expected, board),
        ...differs(null, `leagues.joined of ${id}`, Math.max(joined, Number(last ?? 0)), joined),
      ]
    }),
    ...ownerless.flatMap(({ id, ownerId }) => differs(null, `leagues.owner_id of ${id}`, null, ownerId)),
  ]
}
