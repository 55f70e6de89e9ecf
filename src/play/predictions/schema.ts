import { Closed, Instant, Integer, NextCursor, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

/** Goals that can be predicted for one team. */
const Score = (description: string) => Integer({ minimum: 0, maximum: 99, description })

const scores = { homeScore: Score('Goals of the home team.'), awayScore: Score('Goals of the away team.') }

export const ScorePrediction = Closed(scores, { title: 'ScorePrediction' })
export type ScorePrediction = typeof ScorePrediction.static

export const Prediction = Closed(
  {
    matchId: Type.String({ description: 'Slug of the match.' }),
    ...scores,
    predictedAt: Instant('When the fan wrote these scores.'),
    state: OneOf(['open', 'settled', 'void'], {
      description:
        '`void`: the match was cancelled, or a later report states that it had begun before the prediction was written.',
    }),
    settled: Nullable(
      Closed({
        outcome: Type.Boolean({ description: 'Whether home win, draw or away win was right.' }),
        difference: Type.Boolean({ description: 'Whether the goal difference was right.' }),
        exact: Type.Boolean({ description: 'Whether both scores were right.' }),
        points: Integer({ minimum: 0, description: 'Points for the most exact match of these.' }),
        settledAt: Instant('When the prediction was settled by the result that counts.'),
      }),
      { description: 'Null until there is a result.' },
    ),
  },
  { title: 'Prediction' },
)

export const Predictions = Closed(
  { predictions: Type.Array(Prediction, { description: 'Newest first.' }), nextCursor: NextCursor },
  { title: 'Predictions' },
)

export const examplePrediction = {
  matchId: 'harbour-city-2026-08-15',
  homeScore: 2,
  awayScore: 1,
  predictedAt: '2026-08-15T12:00:00.000Z',
  state: 'open',
  settled: null,
}

export const exampleSettled = {
  ...examplePrediction,
  state: 'settled',
  settled: {
    outcome: true,
    difference: true,
    exact: false,
    points: 15,
    settledAt: '2026-08-15T20:24:00.000Z',
  },
}
