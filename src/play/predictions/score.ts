/** Compares a prediction with the result. */
import type { Reader } from '../../../db/index.ts'
import { findCompetitionOf } from '../../club/matches/matches.ts'
import { findSettlement } from '../../club/matches/settlements.ts'
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

/** The points that a match gives: those of its first settlement, else of its competition, else the club's settings. */
export async function pointsOfMatch(reader: Reader, matchId: string): Promise<PredictionPoints> {
  const settled = await findSettlement(reader, matchId)
  const competition = await findCompetitionOf(reader, matchId)
  const now = competition?.points ?? predictionPointsIn(await settingsOf(reader))
  return {
    outcome: settled?.pointsOutcome ?? now.outcome,
    difference: settled?.pointsDifference ?? now.difference,
    exact: settled?.pointsExact ?? now.exact,
  }
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

/** The points of the best hit. `bonus` is that of the crowd, for an outcome alone. */
export function pointsFor(hits: Hits, points: PredictionPoints, bonus = 0): number {
  if (hits.exact) return points.exact
  if (hits.difference) return points.difference
  return hits.outcome ? points.outcome + bonus : 0
}

/** How many fans chose each outcome. */
export type Split = Record<'home' | 'draw' | 'away', number>

export function outcomeOf(scores: Scores): keyof Split {
  const difference = differenceOf(scores)
  return difference > 0 ? 'home' : difference < 0 ? 'away' : 'draw'
}

/** What an outcome gives more, by the share of fans who chose another one: at most as much as without. */
export function crowdBonus(split: Split, outcome: keyof Split, points: number): number {
  const all = split.home + split.draw + split.away
  return all === 0 ? 0 : Math.floor((points * (all - split[outcome])) / all)
}
