/** Problems of predictions. */
import { defineProblems } from '../../core/problems.ts'

export const predictionProblems = defineProblems({
  prediction_not_found: {
    status: 404,
    title: 'You have no prediction for this match',
    description: 'The caller has not predicted the score of this match. Until kick-off, offer a prediction.',
  },
  prediction_closed: {
    status: 409,
    title: 'Predictions of the match are closed',
    description:
      'The match has begun, or is postponed or cancelled, or predictions of its round closed with the first match. Do not retry; read the match again to show its state.',
  },
})
