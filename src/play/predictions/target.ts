/** The state and points that a settlement gives a prediction. */
import type { Settlement } from '../../club/matches/settlements.ts'
import { hasJoker } from './jokers.ts'
import type { PredictionRow } from './predictions.ts'
import { crowdBonus, type Hits, hitsOf, outcomeOf, pointsFor, type Scores, type Split } from './score.ts'

export type Target =
  | ({ state: 'settled'; points: number } & Hits)
  | { state: 'open' | 'void'; points: 0; outcome: null; difference: null; exact: null }

const WITHOUT_RESULT = { points: 0, outcome: null, difference: null, exact: null } as const

/** A prediction is void if a corrected kick-off is earlier than the prediction. `split`: null without points by the crowd. */
export function targetOf(prediction: PredictionRow, settlement: Settlement, split: Split | null): Target {
  const { homeScore, awayScore, kickoffAt, pointsOutcome, pointsDifference, pointsExact } = settlement
  if (settlement.action === 'reopen') return { state: 'open', ...WITHOUT_RESULT }
  const isInTime = prediction.changedAt < kickoffAt
  // A result has both scores: a constraint of the table.
  if (homeScore === null || awayScore === null || !isInTime) return { state: 'void', ...WITHOUT_RESULT }
  const hits = hitsOf(prediction, { homeScore, awayScore })
  const perHit = { outcome: pointsOutcome ?? 0, difference: pointsDifference ?? 0, exact: pointsExact ?? 0 }
  const points = pointsFor(hits, perHit, bonusOf(prediction, settlement, split))
  return { state: 'settled', ...hits, points: hasJoker(prediction) ? 2 * points : points }
}

/** What the crowd adds to the outcome that a fan predicted, if it is right and nothing more is. */
export const bonusOf = (
  prediction: Scores,
  { pointsOutcome }: Pick<Settlement, 'pointsOutcome'>,
  split: Split | null,
): number => (split ? crowdBonus(split, outcomeOf(prediction), pointsOutcome ?? 0) : 0)

/** Whether the prediction already has this state. */
export const isSettledAs = (row: PredictionRow, target: Target): boolean =>
  (['state', 'points', 'outcome', 'difference', 'exact'] as const).every(name => row[name] === target[name])
