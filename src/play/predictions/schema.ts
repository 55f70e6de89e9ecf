import { Crowd, Deadline, Joker, PredictionPoints } from '../../club/competitions/competition-kind.ts'
import { Closed, Instant, Integer, NextCursor, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

/** Goals that can be predicted for one team. */
const Score = (description: string) => Integer({ minimum: 0, maximum: 99, description })

const scores = { homeScore: Score('Goals of the home team.'), awayScore: Score('Goals of the away team.') }

export const ScorePrediction = Closed(
  {
    ...scores,
    joker: Type.Optional(
      Type.Boolean({
        description:
          'Doubles the points, in competitions with jokers: once a round, and as often in a season as the competition says. A prediction that is written again without it has none.',
      }),
    ),
  },
  { title: 'ScorePrediction' },
)
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
    joker: Type.Optional(
      Type.Boolean({ description: 'Whether it has a joker. Absent in the default competition.' }),
    ),
    settled: Nullable(
      Closed({
        outcome: Type.Boolean({ description: 'Whether home win, draw or away win was right.' }),
        difference: Type.Boolean({ description: 'Whether the goal difference was right.' }),
        exact: Type.Boolean({ description: 'Whether both scores were right.' }),
        points: Integer({
          minimum: 0,
          description: 'Points for the most exact match of these, with those of the crowd and of the joker.',
        }),
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

const Share = (description: string) =>
  Closed(
    {
      predictions: Integer({ minimum: 0, description: 'Fans who chose it.' }),
      points: Integer({ minimum: 0, description: 'What it gives if nothing more is right.' }),
    },
    { description },
  )

export const rulesMembers = {
  competition: Nullable(Type.String(), {
    description:
      'Id of a competition of the catalogue. Null: the default one, whose points are settings of the club.',
  }),
  deadline: Deadline,
  closesAt: Instant(
    'When predictions close, if no kick-off changes: that of the match, or the first one of its round.',
  ),
  points: PredictionPoints,
  joker: Nullable(Joker),
  crowd: Crowd,
  split: Nullable(
    Closed({
      predictions: Integer({ minimum: 0, description: 'All fans who predicted the match.' }),
      home: Share('Home win.'),
      draw: Share('Draw.'),
      away: Share('Away win.'),
    }),
    { description: 'How fans chose, with `crowd`: from the deadline on, and never changed. Null before.' },
  ),
}

export const PredictionRules = Closed(
  { matchId: Type.String({ description: 'Slug of the match.' }), ...rulesMembers },
  { title: 'PredictionRules' },
)

export const exampleRules = {
  matchId: 'harbour-city-2026-08-15',
  competition: 'coastal-cup',
  deadline: 'round',
  closesAt: '2026-08-15T18:30:00.000Z',
  points: { exact: 30, difference: 15, outcome: 10 },
  joker: 3,
  crowd: true,
  split: {
    predictions: 200,
    home: { predictions: 140, points: 13 },
    draw: { predictions: 40, points: 18 },
    away: { predictions: 20, points: 19 },
  },
}

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
