/** Problems of predictions. */
import { defineProblems } from '../../core/problems.ts'

export const predictionProblems = defineProblems({
  prediction_not_found: {
    status: 404,
    title: 'You have no prediction for this match',
    description: 'The caller has not predicted the score of this match. Until kick-off, offer a prediction.',
  },
  joker_not_offered: {
    status: 409,
    title: 'This competition has no joker',
    description:
      'The competition of the match has no jokers. Do not retry; send the prediction without `joker`.',
  },
  joker_used: {
    status: 409,
    title: 'Your joker is used',
    description:
      'The caller has a joker on another match of the round, or all jokers of the season are used. To move it, write the prediction that has it without `joker` while that one is open.',
  },
  prediction_closed: {
    status: 409,
    title: 'Predictions of the match are closed',
    description:
      'The match has begun, or is postponed or cancelled, or predictions of its round closed with the first match. Do not retry; read the match again to show its state.',
  },
})
