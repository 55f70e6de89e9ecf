import { Type } from '@sinclair/typebox'
import { Closed, Instant, Integer, NextCursor, Nullable, PageQuery } from '../core/schemas.ts'

const Period = Type.Union([Type.Literal('all'), Type.Literal('week'), Type.Literal('month')])

export const LeaderboardQuery = Closed({
  ...PageQuery,
  period: Type.Optional(
    Type.Union([Type.Literal('all'), Type.Literal('week'), Type.Literal('month')], {
      default: 'all',
      description: 'Points of all time, of an ISO week, or of a month; UTC.',
    }),
  ),
  of: Type.Optional(
    Type.String({
      pattern: '^[0-9]{4}-W?[0-9]{2}$',
      description: 'Which week (`2026-W47`) or month (`2026-11`): the current one unless told otherwise.',
      errorNoun: 'a week like 2026-W47 or a month like 2026-11',
    }),
  ),
  around: Type.Optional(
    Type.Literal('me', { description: 'The page with the caller in its middle, instead of the first one.' }),
  ),
})

const Standing = Closed(
  {
    rank: Integer({ description: 'From 1. Ties go to whoever got there first.', minimum: 1 }),
    userId: Type.String(),
    displayName: Nullable(Type.String()),
    avatarUrl: Nullable(Type.String()),
    points: Integer({
      description: 'Earned in the period; spending lowers nothing here.',
      minimum: 0,
    }),
    reachedAt: Instant('When the fan got to these points.'),
  },
  { title: 'Standing', description: 'A fan’s place on a board.' },
)

export const Leaderboard = Closed(
  {
    board: Closed(
      {
        id: Type.String({
          description: '`all`, or the week or month as ISO 8601 writes it.',
          examples: ['2026-W47'],
        }),
        period: Period,
        startsAt: Nullable(Instant('First instant of the period.')),
        endsAt: Nullable(Instant('First instant after it.')),
        final: Type.Boolean({
          description: 'The period is over, and no place changes any more.',
        }),
      },
      { title: 'Board' },
    ),
    entries: Type.Array(Standing),
    me: Nullable(Standing, {
      description: 'The caller’s own place. Null without a caller, and for one who has none on this board.',
    }),
    total: Integer({ description: 'Fans on the board.', minimum: 0 }),
    nextCursor: NextCursor,
    previousCursor: Nullable(Type.String(), {
      description: 'Where the page before ends; null at the top. Pass it as `cursor`.',
    }),
  },
  { title: 'Leaderboard' },
)

const exampleStanding = {
  rank: 1,
  userId: '01981e2c-7c1f-7000-8000-000000000001',
  displayName: 'Ada Winger',
  avatarUrl: null,
  points: 1250,
  reachedAt: '2026-08-15T18:30:00.000Z',
}

export const exampleLeaderboard = {
  board: { id: 'all', period: 'all', startsAt: null, endsAt: null, final: false },
  entries: [exampleStanding],
  me: null,
  total: 1,
  nextCursor: null,
  previousCursor: null,
}
