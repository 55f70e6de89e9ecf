import { MAX_REVISION, Score, Status } from '../../../club/matches/schema.ts'
import {
  Closed,
  IdReference,
  Instant,
  InstantInput,
  InstantParameter,
  Integer,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
} from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { Reason } from '../../../identity/staff/reason.ts'
import { rulesMembers } from '../../../play/predictions/schema.ts'

const Team = Closed(
  {
    id: Type.String({ description: 'The team.' }),
    name: Type.String({ description: 'Its name.' }),
    crestUrl: Nullable(Type.String(), { description: 'Its crest.' }),
  },
  { title: 'ConsoleMatchTeam' },
)

const members = {
  id: Type.String({ description: 'The match.' }),
  competition: Type.String({ description: 'The name of the competition.' }),
  season: Type.String({ description: 'The season.' }),
  round: Nullable(Type.String(), { description: 'The round.' }),
  home: Team,
  away: Team,
  kickoffAt: Instant('Kick-off.'),
  venue: Nullable(Type.String(), { description: 'Where it is played.' }),
  status: Status,
  homeScore: Nullable(Score),
  awayScore: Nullable(Score),
  revision: Integer({ description: 'Of status, scores and kick-off. The next change has a greater one.' }),
  active: Type.Boolean({ description: 'Whether fans see it. Only such a match can be changed.' }),
  predictions: Integer({ description: 'Fans who have predicted it.' }),
  settlement: OneOf(['none', 'running', 'done'], {
    description: 'Of the predictions by the current result; `none`: there was no result yet.',
  }),
  checkIn: Nullable(Closed({ opensAt: Instant('When it opens.'), closesAt: Instant('When it closes.') }), {
    description: 'When fans can check in; null for a postponed or cancelled match.',
  }),
}

const ListedMatch = Closed(members, { title: 'ConsoleMatch' })

export const MatchesQuery = Closed({
  ...PageQuery,
  from: Type.Optional(InstantParameter('Only matches with kick-off at this time or later.')),
  to: Type.Optional(InstantParameter('Only matches with kick-off before this time.')),
  season: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Only of this season.' })),
})
export type MatchesQuery = typeof MatchesQuery.static

export const ListedMatches = Closed(
  {
    matches: Type.Array(ListedMatch, { description: 'By kick-off, earliest first.' }),
    nextCursor: NextCursor,
  },
  { title: 'ConsoleMatches' },
)

export const Seasons = Closed(
  { seasons: Type.Array(Type.String(), { description: 'Seasons that have matches, newest first.' }) },
  { title: 'ConsoleSeasons' },
)

export const MatchDetail = Closed(
  {
    ...members,
    progress: Closed(
      {
        predictions: Integer({ description: 'Predictions of the match.' }),
        settled: Integer({ description: 'Those that follow the current result.' }),
        points: Integer({ description: 'Points that fans have for them.' }),
        action: Nullable(OneOf(['settle', 'void', 'reopen']), {
          description: 'What the current result does with predictions; null: there was none yet.',
        }),
        state: OneOf(['none', 'running', 'done']),
      },
      { title: 'SettlementProgress' },
    ),
    rules: Closed(
      {
        ...rulesMembers,
        name: Nullable(Type.String(), {
          description: 'Name of the competition; null for the default one.',
        }),
      },
      { title: 'ConsolePredictionRules', description: 'The rules by which fans predict the match.' },
    ),
    checkIns: Integer({ description: 'Fans who have checked in.' }),
    gateUrl: Type.String({ description: 'The page of a screen at the gate, on the public address.' }),
  },
  { title: 'ConsoleMatchDetail' },
)
export type MatchDetail = typeof MatchDetail.static

export const MatchParams = Closed({ matchId: IdReference('The match.', 'harbour-city-2026-08-15') })

const Revision = (description: string) => Integer({ minimum: 1, maximum: MAX_REVISION, description })

/** Another report can correct it, so a reason is required only if points of fans can change. */
export const ReportedState = Closed(
  {
    revision: Revision('One more than the revision that the page shows.'),
    status: Status,
    kickoffAt: InstantInput('Kick-off.'),
    homeScore: Nullable(Score),
    awayScore: Nullable(Score),
    reason: Type.Optional({
      ...Reason,
      description: 'Why. Required for a result, and once predictions were settled by one.',
    }),
    early: Type.Optional(
      Type.Boolean({
        description: 'Finish the match although its kick-off is to come, or was less than 45 minutes ago.',
      }),
    ),
  },
  { title: 'ReportedState' },
)
export type ReportedState = typeof ReportedState.static

export const ResetRevision = Closed(
  {
    revision: Revision('The last revision that the reporting system counted.'),
    reason: Reason,
  },
  { title: 'ResetRevision' },
)

const Minutes = Type.Array(Closed({ at: Instant('Its begin.'), checkIns: Integer() }), {
  description: 'The last 30 minutes, earliest first; the last one is not over.',
})

export const MatchPulse = Closed(
  {
    predictions: Integer({ description: 'Fans who have predicted the match.' }),
    home: Integer({ description: 'Of them, for the home team.' }),
    draw: Integer({ description: 'Of them, for a draw.' }),
    away: Integer({ description: 'Of them, for the away team.' }),
    jokers: Integer({ description: 'Of the predictions, those with a joker.' }),
    scores: Type.Array(Closed({ homeScore: Score, awayScore: Score, predictions: Integer() }), {
      description: 'The scores that most fans predict, at most five.',
    }),
    checkIns: Integer({ description: 'Fans who have checked in.' }),
    minutes: Minutes,
  },
  { title: 'MatchPulse' },
)

const ScoreParameter = (description: string) =>
  Type.String({
    pattern: '^(0|[1-9][0-9]{0,2})$',
    description,
    errorNoun: 'a whole number of 0 to 999',
    documentedAs: { type: 'integer', minimum: 0, maximum: 999, examples: [2] },
  })

export const ForecastQuery = Closed({
  homeScore: ScoreParameter('Goals of the home team.'),
  awayScore: ScoreParameter('Goals of the away team.'),
  kickoffAt: InstantParameter('Kick-off: later predictions do not count.'),
})

export const SettlementForecast = Closed(
  {
    predictions: Integer({ description: 'Predictions that the result settles.' }),
    exact: Integer({ description: 'With the exact score.' }),
    difference: Integer({ description: 'With the goal difference, and no better hit.' }),
    outcome: Integer({ description: 'With the winner or the draw, and no better hit.' }),
    missed: Integer({ description: 'Without points.' }),
    late: Integer({ description: 'Made after the kick-off: they do not count.' }),
    grants: Integer({ description: 'Points that fans get.' }),
    takesBack: Integer({ description: 'Points that are taken back, if fans have not spent them.' }),
  },
  { title: 'SettlementForecast' },
)
