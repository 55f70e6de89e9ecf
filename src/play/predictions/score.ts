/** Compares a prediction with the result. */
import type { Reader } from '../../../db/index.ts'
import { findCompetitionOf } from '../../club/matches/matches.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { settingsOf } from '../../platform/settings/settings.ts'

export interface Scores {
  homeScore: number
  awayScore: number
}

export interface Hits {
  /** Home win, draw or away win. */
  outcome: boolean
  difference: boolean
  exact: boolean
}

/** Points for each hit. */
export type PredictionPoints = Record<keyof Hits, number>

/** Points by the best hit of a prediction. */
export const predictionPointsIn = (settings: Settings): PredictionPoints => ({
  outcome: settings.predictionPointsOutcome,
  difference: settings.predictionPointsDifference,
  exact: settings.predictionPointsExact,
})

/** The points that a match gives now: of its competition, or the club's settings. */
export async function pointsOfMatch(reader: Reader, matchId: string): Promise<PredictionPoints> {
  const competition = await findCompetitionOf(reader, matchId)
  return competition?.points ?? predictionPointsIn(await settingsOf(reader))
}

const differenceOf = ({ homeScore, awayScore }: Scores) => homeScore - awayScore

export function hitsOf(predicted: Scores, result: Scores): Hits {
  const [guess, truth] = [differenceOf(predicted), differenceOf(result)]
  const difference = guess === truth
  return {
    outcome: Math.sign(guess) === Math.sign(truth),
    difference,
    exact: difference && predicted.homeScore === result.homeScore,
  }
}

/** The points of the best hit. */
export function pointsFor(hits: Hits, points: PredictionPoints): number {
  if (hits.exact) return points.exact
  if (hits.difference) return points.difference
  return hits.outcome ? points.outcome : 0
}
