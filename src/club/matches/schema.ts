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
} from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { ShownSponsorId } from '../sponsors/sponsorship.ts'

export const Status = OneOf(['scheduled', 'live', 'finished', 'postponed', 'cancelled'], {
  description: 'Status of the match. `postponed`: there is no new kick-off time yet.',
})
export type Status = typeof Status.static

/** How long the name of a season can be. */
export const MAX_SEASON_LENGTH = 20
export const MAX_COMPETITION_LENGTH = 100

/**
 * The maximum step by which one report can raise the revision of a match, so that a wrong number does not
 * block all later reports.
 */
export const MAX_REVISION_STEP = 1_000_000

/** The largest revision. A settlement can have a greater one than its match: see `queueSettlement`. */
export const MAX_REVISION = 9_000_000_000_000_000

/** Goals of one team. */
export const Score = Integer({ minimum: 0, maximum: 999, description: 'Goals.' })

const Revision = Integer({
  minimum: 1,
  description: 'Increases with each change of status, scores or kick-off.',
})

const MatchId = Type.String({ description: 'Slug of the match.', examples: ['harbour-city-2026-08-15'] })

export const Match = Closed(
  {
    id: MatchId,
    competition: Type.String({
      description: 'Id in `GET /api/competitions`, or the name of any other competition.',
    }),
    season: Type.String({ description: 'Season of the competition.' }),
    round: Nullable(Type.String(), { description: 'Round of the competition.' }),
    homeTeamId: Type.String({ description: 'Slug of the home team.' }),
    awayTeamId: Type.String({ description: 'Slug of the away team.' }),
    kickoffAt: Instant('Kick-off.'),
    venue: Nullable(Type.String(), { description: 'Where it is played.' }),
    status: Status,
    homeScore: Nullable(Score, { description: 'Goals of the home team; null before the match.' }),
    awayScore: Nullable(Score, { description: 'Goals of the away team; null before the match.' }),
    revision: Revision,
    sponsorId: ShownSponsorId,
    checkIn: Nullable(
      Closed({
        opensAt: Instant('When check-in opens.'),
        closesAt: Instant('The last instant at which fans can check in.'),
      }),
      { description: 'When fans can check in; null for a postponed or cancelled match.' },
    ),
  },
  { title: 'Match' },
)

export const Matches = Closed(
  { matches: Type.Array(Match, { description: 'By kick-off, earliest first.' }), nextCursor: NextCursor },
  { title: 'Matches' },
)

/** Any text is accepted: one that no match has gives an empty list. */
const FilterText = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 100, description, examples: [example] })

export const MatchesQuery = Closed({
  ...PageQuery,
  teamId: Type.Optional(IdReference('Only matches of this team.', 'harbour-city')),
  from: Type.Optional(InstantParameter('Only matches with kick-off at this time or later.')),
  to: Type.Optional(InstantParameter('Only matches with kick-off before this time.')),
  status: Type.Optional({ ...Status, description: 'Only matches of this status.', examples: ['live'] }),
  competition: Type.Optional(FilterText('Only matches of this competition.', 'Coastal League')),
  season: Type.Optional(FilterText('Only matches of this season.', '2026/27')),
  round: Type.Optional(FilterText('Only matches of this round.', 'Round 1')),
})
export type MatchesQuery = typeof MatchesQuery.static

export const MatchParams = Closed({
  matchId: IdReference('The `id` of the match.', 'harbour-city-2026-08-15'),
})

/** The whole state. All members are required, since a missing one would be ambiguous. */
export const MatchUpdate = Closed(
  {
    revision: Integer({
      minimum: 1,
      maximum: MAX_REVISION,
      description:
        'Must be greater than the stored revision, by at most 1,000,000. The same revision with the same state is accepted as a repeat.',
    }),
    status: Status,
    kickoffAt: InstantInput('Kick-off.'),
    homeScore: Nullable(Score, { description: 'Of a live or finished match, else null.' }),
    awayScore: Nullable(Score, { description: 'Of a live or finished match, else null.' }),
  },
  { title: 'MatchUpdate' },
)
export type MatchUpdate = typeof MatchUpdate.static

export const exampleMatch = {
  id: 'harbour-city-2026-08-15',
  competition: 'Coastal League',
  season: '2026/27',
  round: 'Round 1',
  homeTeamId: 'harbour-city',
  awayTeamId: 'ashbourne-rovers',
  kickoffAt: '2026-08-15T18:30:00.000Z',
  venue: 'Harbour Park',
  status: 'scheduled',
  homeScore: null,
  awayScore: null,
  revision: 1,
  sponsorId: null,
  checkIn: { opensAt: '2026-08-15T15:30:00.000Z', closesAt: '2026-08-15T21:30:00.000Z' },
}

export const exampleUpdate = {
  revision: 3,
  status: 'finished',
  kickoffAt: '2026-08-15T18:30:00.000Z',
  homeScore: 2,
  awayScore: 1,
}
