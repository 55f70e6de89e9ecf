import { MAX_MEMBERS } from '../../../db/schema/play/leagues.ts'
import { MAX_COMPETITION_LENGTH } from '../../club/matches/schema.ts'
import { Formatted } from '../../core/formats.ts'
import {
  Closed,
  IdReference,
  Instant,
  Integer,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
} from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { GROUPS } from '../../economy/leaderboard/boards.ts'
import { profileFields } from '../../identity/users/profile-fields.ts'
import { MAX_JOINED } from './problems.ts'

const { expected: errorNoun, normalize: normalizeName } = profileFields.displayName

/** The rules of names of fans. */
export const LeagueName = Formatted('league-name', text => normalizeName(text) !== null, {
  errorNoun,
  documentedAs: {
    type: 'string',
    minLength: 1,
    maxLength: 50,
    description: 'Name of the league, by the rules of `displayName` of a profile.',
    examples: ['Office league'],
  },
})

const scoring = OneOf(['points', 'predictions'], {
  description: 'What counts: all points that members earn, or those of their predictions.',
})
const from = OneOf(['join', 'start'], {
  description:
    '`join`: what a member earns from joining on. `start`: also what was earned before, since the league was created; with `season`, since the start of the season.',
})
const format = OneOf(['table', 'head_to_head'], {
  description:
    '`table`: all members are ranked by their points. `head_to_head`: each week pairs of members play each other, and who has earned more in the week wins: 3 points for a win, 1 for a draw; all points break ties.',
})
const competition = {
  description: 'With `scoring: "predictions"`: only matches of this competition.',
  examples: ['Coastal League'],
}

export const NewLeague = Closed(
  {
    name: LeagueName,
    scoring,
    season: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'With `scoring: "predictions"`: only matches of this season. With `points`: what is earned in this season of the catalogue, by its id. Default: all seasons.',
        examples: ['2026/27'],
      }),
    ),
    competition: Type.Optional(
      Type.String({ ...competition, minLength: 1, maxLength: MAX_COMPETITION_LENGTH }),
    ),
    format,
    from,
  },
  { title: 'NewLeague' },
)
export type NewLeague = Static<typeof NewLeague>

export const JoinLeague = Closed(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The code of the league. Case, spaces and dashes make no difference.',
      examples: ['7Q2M-X9KD'],
    }),
  },
  { title: 'JoinLeague' },
)
export type JoinLeague = Static<typeof JoinLeague>

export const LeagueChange = Closed(
  {
    name: Type.Optional(LeagueName),
    locked: Type.Optional(Type.Boolean({ description: 'Whether nobody can join.' })),
    newCode: Type.Optional(
      Type.Literal(true, { description: 'Replaces the code. The old one no longer works.' }),
    ),
    owner: Type.Optional(IdReference('Handle of the member who owns the league from now on.', 'calebe')),
  },
  { title: 'LeagueChange', description: 'An omitted member keeps its value.' },
)
export type LeagueChange = Static<typeof LeagueChange>

const Side = Closed(
  {
    number: Integer({ minimum: 1, description: 'The number of the member in the league.' }),
    handle: Nullable(Type.String(), { description: 'Null as in `entries`, and for a member who has left.' }),
    displayName: Nullable(Type.String(), { description: 'Null as `handle`.' }),
    avatarUrl: Nullable(Type.String(), { description: 'Null as `handle`.' }),
  },
  { title: 'LeagueSide' },
)

const RoundPoints = Nullable(Integer({ minimum: 0 }), {
  description: 'Points that the member earned in the round. Null until it is closed, a minute after its end.',
})

const LeaguePair = Closed(
  { home: Side, away: Side, homePoints: RoundPoints, awayPoints: RoundPoints },
  { title: 'LeaguePair' },
)

export const LeagueRound = Closed(
  {
    id: Type.String({ description: 'The number of the round: 1, 2 and so on.', examples: ['3'] }),
    week: Type.String({ description: 'The week of the club.', examples: ['2026-W36'] }),
    startsAt: Instant('Its start.'),
    endsAt: Instant('Its end, exclusive.'),
    pairs: Type.Array(LeaguePair, {
      maxItems: MAX_MEMBERS / 2,
      description: 'Members who play each other. In `lastRound` only your own.',
    }),
    bye: Nullable(Side, { description: 'The member without an opponent, who gets no points for the round.' }),
  },
  { title: 'LeagueRound' },
)
export type LeagueRound = Static<typeof LeagueRound>

export const LeagueRounds = Closed(
  {
    seed: Nullable(Type.String(), {
      description: 'Decides the draw of each round, with the numbers of the members. Null in other formats.',
    }),
    rounds: Type.Array(LeagueRound, { description: 'Newest first.' }),
    nextCursor: NextCursor,
  },
  { title: 'LeagueRounds' },
)
export type LeagueRounds = Static<typeof LeagueRounds>

export const RoundsQuery = Closed({
  limit: Type.Optional(
    Type.String({
      pattern: '^([1-9]|10)$',
      description: 'Maximum number of rounds, 1 to 10.',
      errorNoun: 'a whole number of 1 to 10',
      documentedAs: { type: 'integer', minimum: 1, maximum: 10, default: 5, examples: [5] },
    }),
  ),
  cursor: PageQuery.cursor,
})

const lastRound = Nullable(LeagueRound, {
  description: 'The last closed round, with your pair. Null before, and in other formats.',
})

const summary = {
  id: Type.String({
    description:
      'The league. Of an automatic one `team:` or `country:`, and the id of the team or the country.',
    examples: ['01981e2c-7c1f-7000-8000-000000000061', 'team:rovers'],
  }),
  automatic: Nullable(
    OneOf(GROUPS, { description: 'What the fans of an automatic league have in common.' }),
    {
      description:
        'What the fans of an automatic league have in common: the favourite team or the country of the profile. Nobody joins, owns or changes it. Null for leagues of fans.',
    },
  ),
  name: Nullable(Type.String(), {
    description:
      'Null while moderators hide its owner from others. Of an automatic league the name of the team, or the code of the country (ISO 3166-1 alpha-2).',
  }),
  code: Nullable(Type.String({ examples: ['7Q2M-X9KD'] }), {
    description: 'With this code others join. Null for automatic leagues.',
  }),
  scoring,
  competition: Nullable(Type.String(), { description: 'Competition of the matches that count. Null: all.' }),
  season: Nullable(Type.String(), {
    description: 'Season of the matches that count, or in which points count. Null: all.',
  }),
  format,
  from,
  locked: Type.Boolean({ description: 'Whether nobody can join.' }),
  owner: Closed(
    {
      handle: Nullable(Type.String(), { description: 'Null as in `entries`.' }),
      displayName: Nullable(Type.String(), { description: 'Null as in `entries`.' }),
    },
    { description: 'The member who can change the league.' },
  ),
  owned: Type.Boolean({ description: 'Whether you own it.' }),
  members: Integer({
    minimum: 1,
    description: `How many members it has: at most ${MAX_MEMBERS} in leagues of fans.`,
  }),
  createdAt: Nullable(Instant('When it was created.'), {
    description: 'When it was created. Null for automatic leagues.',
  }),
  me: Closed(
    {
      rank: Integer({ minimum: 1, description: 'Your rank.' }),
      points: Integer({ minimum: 0, description: 'Your points.' }),
    },
    { description: 'Your place in the table.' },
  ),
}

const LeagueEntry = Closed(
  {
    number: Nullable(Integer({ minimum: 0 }), {
      description:
        'Members are numbered in the order in which they join. The owner can name a member without a handle by it, as `member-7`. Null in automatic leagues.',
    }),
    handle: Nullable(Type.String(), {
      description:
        'Null if the fan has none, is anonymous on leaderboards, or if one of you has blocked the other.',
    }),
    displayName: Nullable(Type.String(), {
      description: 'The name of the fan, the handle, or null, as on leaderboards.',
    }),
    avatarUrl: Nullable(Type.String(), { description: 'The picture; null as `displayName`.' }),
    rank: Integer({
      minimum: 1,
      description: 'With equal points, the fan who reached them first is ahead.',
    }),
    points: Integer({
      minimum: 0,
      description:
        'Points that count in the league; head to head, those of won and drawn rounds. Zero for a fan who has left the leaderboards.',
    }),
    joinedAt: Nullable(Instant('When the fan joined.'), {
      description: 'When the fan joined. Null in automatic leagues.',
    }),
  },
  { title: 'LeagueEntry' },
)

export const League = Closed(
  {
    ...summary,
    entries: Type.Array(LeagueEntry, { description: 'By rank.' }),
    lastRound,
    nextCursor: NextCursor,
  },
  { title: 'League' },
)
export type League = Static<typeof League>

const LeagueSummary = Closed({ ...summary, lastRound }, { title: 'LeagueSummary' })
export type AutomaticLeague = Static<typeof LeagueSummary>

export const Leagues = Closed(
  {
    leagues: Type.Array(LeagueSummary, {
      maxItems: MAX_JOINED,
      description: 'The leagues of which you are a member, those that you joined last first.',
    }),
    automatic: Type.Array(LeagueSummary, {
      maxItems: GROUPS.length,
      description:
        'The leagues of your favourite team and of your country, if you take part in the leaderboards. What you earn counts there within two minutes.',
    }),
  },
  { title: 'Leagues' },
)

export type Leagues = Static<typeof Leagues>

export const LeagueParams = Closed({ leagueId: IdReference('The league.') })
export const LeagueFanParams = Closed({
  leagueId: IdReference('The league.'),
  handle: IdReference('Handle of the fan, or number of a member as `member-7`.', 'calebe'),
})
export const LeagueMemberParams = Closed({
  leagueId: IdReference('The league.'),
  handle: IdReference('Handle of the member, number as `member-7`, or `me`.', 'calebe'),
})

/** The name without spaces around it. Guarantee: the schema has accepted it. */
export const nameOf = (text: string): string => normalizeName(text) ?? text
