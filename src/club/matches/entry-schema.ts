import { Closed, InstantInput, Integer, Slug } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { Active, EntrySlug, Line, Maybe } from '../catalogue/entry-schema.ts'
import { Text } from '../catalogue/texts.ts'
import { MAX_REVISION, MAX_SEASON_LENGTH, Score, Status } from './schema.ts'

/** A match as an importer states it. */
export const MatchEntry = Closed(
  {
    id: EntrySlug('Slug of the match.'),
    competition: Text(100, 'Name of the competition.'),
    season: Line(
      MAX_SEASON_LENGTH,
      'Like 2026/27. Predictions keep the one with which their settlement began.',
    ),
    round: Maybe(Text(50, 'Like Round 4 or Quarter-final.')),
    homeTeamId: Slug('A team of the catalogue. Cannot change.'),
    awayTeamId: Slug('Another team of the catalogue. Cannot change.'),
    kickoffAt: InstantInput('Kick-off. Changes only with a greater `revision`.'),
    venue: Maybe(Text(100, 'Where it is played.')),
    status: Type.Optional({
      ...Status,
      default: 'scheduled',
      description: 'Changes only with a greater `revision`.',
    }),
    homeScore: Maybe({
      ...Score,
      description: 'Of a live or finished match. Changes only with a greater `revision`.',
    }),
    awayScore: Maybe({ ...Score, description: 'As `homeScore`.' }),
    revision: Type.Optional(
      Integer({
        minimum: 1,
        maximum: MAX_REVISION,
        description:
          'Number of the state of status, scores and kick-off. An entry whose revision is not greater than the stored one leaves these as they are. Default: 1.',
      }),
    ),
    active: Active,
  },
  { title: 'Match' },
)
export type MatchEntry = Static<typeof MatchEntry>
