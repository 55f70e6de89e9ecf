/** Moments that notifications listen to like events: tasks find their fans, and no event is recorded. */
export const MOMENTS = {
  'match.opened': {
    description:
      'Predictions of a match close in at most three days, and the fan, who predicts, has not predicted it.',
    members: ['/matchId', '/homeTeam', '/awayTeam', '/kickoffAt', '/closesAt', '/deadline'],
  },
  'match.not_tipped': {
    description:
      'Predictions of a match close in at most three hours, and the fan, who predicts, has not predicted it.',
    members: ['/matchId', '/homeTeam', '/awayTeam', '/kickoffAt', '/closesAt', '/deadline'],
  },
  'membership.ending': {
    description: 'A membership of the fan ends in at most 30 days, and none of its kind follows.',
    members: ['/ref', '/kindId', '/endsAt', '/lastDay'],
  },
} as const

export type Moment = keyof typeof MOMENTS
