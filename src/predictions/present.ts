import type { Tables } from '../../db/index.ts'

export type PredictionRow = Tables['predictions']['$inferSelect']

export function presentPrediction({
  matchId,
  homeScore,
  awayScore,
  changedAt,
  state,
  ...row
}: PredictionRow) {
  const { outcome, difference, exact, points, settledAt } = row
  const isSettled = outcome !== null && difference !== null && exact !== null && settledAt !== null
  return {
    matchId,
    homeScore,
    awayScore,
    predictedAt: changedAt.toISOString(),
    // Guarantee of the cast: the constraint `predictions_state`.
    state: state as 'open' | 'settled' | 'void',
    settled: isSettled ? { outcome, difference, exact, points, settledAt: settledAt.toISOString() } : null,
  }
}
