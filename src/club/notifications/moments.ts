/** Moments that notifications listen to like events: tasks find their fans, and no event is recorded. */
export const MOMENTS = {
  'match.opened': {
    description: 'A match begins in three days, and the fan, who predicts, has not predicted it.',
    members: ['/matchId', '/homeTeam', '/awayTeam', '/kickoffAt', '/closesAt'],
  },
  'match.not_tipped': {
    description:
      'Predictions of a match close in three hours, and the fan, who predicts, has not predicted it.',
    members: ['/matchId', '/homeTeam', '/awayTeam', '/kickoffAt', '/closesAt'],
  },
  'membership.ending': {
    description: 'A membership of the fan ends in 30 days, and none of its kind follows.',
    members: ['/ref', '/kindId', '/endsAt'],
  },
} as const

export type Moment = keyof typeof MOMENTS
