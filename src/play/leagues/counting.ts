/** Which points count in a league, from when, and until when. */
import type { Reader, Transaction } from '../../../db/index.ts'
import { listMatchIds } from '../../club/matches/matches.ts'
import { windowAt } from '../../core/windows.ts'
import { listEnrolments } from '../../economy/leaderboard/enrolment.ts'
import { earnedBetween, finalAfter } from '../../economy/points/earned-between.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import type { LeagueRow } from './table.ts'

/** When the first step of a league is due; null for one without steps. */
export async function firstStepOf(
  tx: Transaction,
  { format, startsAt, endsAt, createdAt }: Pick<LeagueRow, 'format' | 'startsAt' | 'endsAt' | 'createdAt'>,
): Promise<Date | null> {
  if (format === 'table') return endsAt && finalAfter(endsAt)
  const zone = await timeZoneOf(tx)
  const next = windowAt('week', createdAt, zone).endsAt
  // A season that starts with a week starts with a round.
  const ofSeason = startsAt && windowAt('week', new Date(startsAt.getTime() - 1), zone).endsAt
  return ofSeason && ofSeason > next ? ofSeason : next
}

/** What members earned in a period. A member who has left the leaderboards has no points. */
export async function pointsOf(
  reader: Reader,
  league: Pick<LeagueRow, 'board' | 'season' | 'competition'>,
  period: { from: Date; to: Date; since?: Map<string, Date> },
  userIds: string[],
): Promise<Map<string, number>> {
  const enrolled = await listEnrolments(reader, userIds)
  const isCounted = await isCountedIn(reader, league)
  return earnedBetween(reader, [...enrolled.keys()], { ...period, board: league.board, isCounted })
}

/** Whether the entries with a ref count in a league of one competition. Undefined for others: all do. */
export async function isCountedIn(reader: Reader, { competition }: Pick<LeagueRow, 'competition'>) {
  if (competition === null) return undefined
  const ids = new Set(await listMatchIds(reader, competition))
  return (ref: string) => ids.has(ref.split(':')[0] ?? '')
}

/** What members have earned from when they count until the end of the season. */
export async function finalPointsOf(
  reader: Reader,
  league: LeagueRow,
  members: { userId: string; countsFrom: Date | null }[],
): Promise<Map<string, number>> {
  const { startsAt: from, endsAt: to } = league
  if (!from || !to) return new Map()
  const since = new Map(
    members.flatMap(({ userId, countsFrom }) => (countsFrom ? [[userId, countsFrom]] : [])),
  )
  return pointsOf(
    reader,
    league,
    { from, to, since },
    members.map(({ userId }) => userId),
  )
}
