import { MAX_SEASON_LENGTH } from '../../club/matches/schema.ts'
import { Closed, Id, Instant, Integer, NextCursor, Nullable, OneOf, PageQuery } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

const PERIODS = ['all', 'week', 'month'] as const

export const LeaderboardQuery = Closed({
  ...PageQuery,
  kind: Type.Optional(
    OneOf(['points', 'predictions'], {
      default: 'points',
      description: 'All points, or only those of predictions.',
      examples: ['predictions'],
    }),
  ),
  season: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_SEASON_LENGTH,
      description:
        'With `kind=predictions`: only matches of this season. Default: all seasons. The board is empty for a season in which no prediction has earned points.',
      examples: ['2026/27'],
    }),
  ),
  period: Type.Optional(
    OneOf(PERIODS, {
      default: 'all',
      description: 'Points of all time, of an ISO week, or of a month; UTC.',
      examples: ['week'],
    }),
  ),
  of: Type.Optional(
    Type.String({
      pattern: '^[0-9]{4}-W?[0-9]{2}$',
      description: 'The week (`2026-W47`) or month (`2026-11`); the current one by default.',
      examples: ['2026-W47'],
      errorNoun: 'a week like 2026-W47 or a month like 2026-11',
    }),
  ),
  around: Type.Optional(
    Type.Literal('me', {
      description: 'Returns the page with the caller in its middle, instead of the first page.',
      examples: ['me'],
    }),
  ),
  among: Type.Optional(
    Type.Literal('following', {
      description: 'Ranks only the caller and the fans that the caller follows.',
      examples: ['following'],
    }),
  ),
})
export type LeaderboardQuery = typeof LeaderboardQuery.static

const RankedEntry = Closed(
  {
    rank: Integer({
      description: 'From 1. With equal points, the fan who reached them first is ahead.',
      minimum: 1,
    }),
    userId: Nullable(Id('The fan.'), { description: 'The fan; null if the entry is shown without a name.' }),
    handle: Nullable(Type.String(), {
      description:
        'Handle of the fan, for the link to their page. Null if the fan has none, or if the entry is shown without a name.',
    }),
    displayName: Nullable(Type.String(), {
      description:
        'The name of the fan, the handle, or null, as the privacy of the fan allows. Also null if one of you has blocked the other.',
    }),
    avatarUrl: Nullable(Type.String(), { description: 'The picture; null as `displayName`.' }),
    points: Integer({
      description:
        'Points earned in the period or season. Spending does not reduce them; points that are taken back do.',
      minimum: 0,
    }),
    reachedAt: Instant('When the fan reached these points: the time of the latest earning that counts.'),
  },
  { title: 'RankedEntry', description: 'A fan’s rank and points on a board.' },
)

export const Leaderboard = Closed(
  {
    board: Closed(
      {
        id: Type.String({
          description: '`all`, or the week or month in ISO 8601; or the board of predictions.',
          examples: ['2026-W47'],
        }),
        kind: Type.Optional(
          Type.Literal('predictions', { description: 'Absent on the boards of all points.' }),
        ),
        season: Type.Optional(
          Nullable(Type.String(), {
            description: 'Season of the matches. Null: all seasons. Absent on the boards of all points.',
          }),
        ),
        period: OneOf(PERIODS, { description: 'All time, an ISO week or a month.' }),
        startsAt: Nullable(Instant('First instant of the period.')),
        endsAt: Nullable(Instant('First instant after it.')),
        final: Type.Boolean({
          description:
            'Whether the period is over and ranks no longer change. Never on boards of predictions: results can be corrected.',
        }),
      },
      { title: 'Board', description: 'The board of the page.' },
    ),
    entries: Type.Array(RankedEntry, { description: 'By rank.' }),
    me: Nullable(RankedEntry, {
      description:
        'The caller’s own entry. Null without a caller, and for a caller who is not on this board.',
    }),
    total: Integer({ description: 'Fans on the board.', minimum: 0 }),
    nextCursor: NextCursor,
    previousCursor: Nullable(Type.String(), {
      description: 'Cursor of the page before; null on the first page.',
    }),
  },
  { title: 'Leaderboard' },
)

const exampleRankedEntry = {
  rank: 1,
  userId: '01981e2c-7c1f-7000-8000-000000000001',
  handle: 'ada',
  displayName: 'Ada Winger',
  avatarUrl: null,
  points: 1250,
  reachedAt: '2026-08-15T18:30:00.000Z',
}

export const exampleLeaderboard = {
  board: { id: 'all', period: 'all', startsAt: null, endsAt: null, final: false },
  entries: [exampleRankedEntry],
  me: null,
  total: 1,
  nextCursor: null,
  previousCursor: null,
}
