import type { Tables } from '../../../db/index.ts'

export type PredictionRow = Tables['predictions']['$inferSelect']

export function presentPrediction(row: PredictionRow) {
  const { matchId, homeScore, awayScore, outcome, difference, exact, points, settledAt } = row
  const isSettled = outcome !== null && difference !== null && exact !== null && settledAt !== null
  return {
    matchId,
    homeScore,
    awayScore,
    predictedAt: row.changedAt.toISOString(),
    // Guarantee of the cast: the constraint `predictions_state`.
    state: row.state as 'open' | 'settled' | 'void',
    settled: isSettled ? { outcome, difference, exact, points, settledAt: settledAt.toISOString() } : null,
  }
}
