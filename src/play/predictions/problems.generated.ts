/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { matchProblems } from '../../club/matches/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { predictionProblems } from './problems.ts'

export const thrownBy = {
  readPrediction: [matchProblems.match_not_found, predictionProblems.prediction_not_found],
  writePrediction: [
    matchProblems.match_not_found,
    predictionProblems.joker_not_offered,
    predictionProblems.joker_used,
    predictionProblems.prediction_closed,
  ],
  listPredictions: [transportProblems.invalid_cursor],
  readPredictionRules: [matchProblems.match_not_found],
} as const
