/** A prediction that was exactly right, as everyone sees it, for sharing. */
import { and, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { findCompetition } from '../../club/competitions/competition-kind.ts'
import { findMatch, presentMatch } from '../../club/matches/matches.ts'
import { readSides, type Side } from '../../club/teams/teams.ts'
import { findPublicFanByHandle, type PublicFan } from '../../identity/relations/public-fan.ts'

export interface SharedPrediction {
  matchId: string
  homeScore: number
  awayScore: number
  /** Its name. */
  competition: string
  home: Side
  away: Side
  owner: PublicFan
}

/** Null unless the prediction is exact and everyone may see what the fan does. */
export async function findSharedPrediction(
  reader: Reader,
  { matchId, handle }: { matchId: string; handle: string },
): Promise<SharedPrediction | null> {
  const owner = await findPublicFanByHandle(reader, handle)
  if (!owner?.showsActivity) return null
  const exact = await selectExact(reader, matchId, owner.userId)
  const match = exact && (await findMatch(reader, matchId))
  if (!match) return null
  const [home, away] = await readSides(reader, [match.homeTeamId, match.awayTeamId])
  const competition = (await findCompetition(reader, match))?.name ?? presentMatch(match).competition
  return { matchId, ...exact, competition, home, away, owner }
}

const selectExact = preparedRow((reader: Reader, matchId: string, userId: string) => {
  const { predictions } = reader.tables
  const { homeScore, awayScore } = predictions
  const isExact = and(
    eq(predictions.matchId, matchId),
    eq(predictions.userId, userId),
    eq(predictions.exact, true),
  )
  return reader.select({ homeScore, awayScore }).from(predictions).where(isExact)
})
