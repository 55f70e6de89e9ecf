/** The state and points that a settlement gives a prediction. */
import type { Settlement } from '../../club/matches/settlements.ts'
import type { PredictionRow } from './predictions.ts'
import { type Hits, hitsOf, pointsFor } from './score.ts'

export type Target =
  | ({ state: 'settled'; points: number } & Hits)
  | { state: 'open' | 'void'; points: 0; outcome: null; difference: null; exact: null }

const WITHOUT_RESULT = { points: 0, outcome: null, difference: null, exact: null } as const

/** A prediction is void if a corrected kick-off is earlier than the prediction. */
export function targetOf(prediction: PredictionRow, settlement: Settlement): Target {
  const { homeScore, awayScore, kickoffAt, pointsOutcome, pointsDifference, pointsExact } = settlement
  if (settlement.action === 'reopen') return { state: 'open', ...WITHOUT_RESULT }
  const isInTime = prediction.changedAt < kickoffAt
  // A result has both scores: a constraint of the table.
  if (homeScore === null || awayScore === null || !isInTime) return { state: 'void', ...WITHOUT_RESULT }
  const hits = hitsOf(prediction, { homeScore, awayScore })
  const perHit = { outcome: pointsOutcome ?? 0, difference: pointsDifference ?? 0, exact: pointsExact ?? 0 }
  return { state: 'settled', ...hits, points: pointsFor(hits, perHit) }
}

/** Whether the prediction already has this state. */
export const isSettledAs = (row: PredictionRow, target: Target): boolean =>
  (['state', 'points', 'outcome', 'difference', 'exact'] as const).every(name => row[name] === target[name])
