import { MAX_TABLE } from '../../../db/schema/play/divisions.ts'
import { Closed, Instant, Integer, Nullable, OneOf, Slug } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'

export const divisionQuery = {
  division: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Id of a division. Default: the first by id in which you have a table.',
      examples: ['weekly'],
    }),
  ),
}

const Rank = Integer({
  minimum: 1,
  description: 'By points; with equal points, who reached them first is ahead.',
})
const Points = Integer({ minimum: 0, description: 'Earned in the period.' })
const LevelId = Slug('Slug of the level.')

const Entry = Closed(
  {
    handle: Nullable(Type.String(), { description: 'Null if the fan has none or does not show it.' }),
    displayName: Nullable(Type.String(), { description: 'Null if the fan has none or does not show it.' }),
    avatarUrl: Nullable(Type.String(), { description: 'Null if the fan has none or does not show it.' }),
    rank: Rank,
    points: Points,
    zone: OneOf(['up', 'down', 'stays', 'leaves'], {
      description: 'What happens to the fan if the period ends like this. `leaves`: no points.',
    }),
  },
  { title: 'DivisionEntry' },
)

const LastResult = Closed(
  {
    outcome: OneOf(['promoted', 'relegated', 'stayed'], { description: 'What happened to you.' }),
    levelId: Slug('Slug of the level in which you were.'),
    rank: Rank,
    points: Points,
    endsAt: Instant('When that period ended.'),
  },
  { title: 'DivisionResult' },
)

const Division = Closed(
  {
    id: Slug('Slug of the division.'),
    name: Type.String({ description: 'For the fan to read.' }),
    level: Closed(
      {
        id: LevelId,
        name: Type.String({ description: 'For the fan to read.' }),
        number: Integer({ minimum: 1, description: '1 is the lowest level.' }),
        of: Integer({ minimum: 1, description: 'Number of levels.' }),
      },
      { description: 'The level of your table.' },
    ),
    rank: Integer({ minimum: 1, description: 'Your rank in the table.' }),
    size: Integer({ minimum: 2, maximum: MAX_TABLE, description: 'Members of a full table.' }),
    up: Integer({ minimum: 0, description: 'How many of this table rise. Fewer while it is not full.' }),
    down: Integer({ minimum: 0, description: 'How many of this table fall. Fewer while it is not full.' }),
    endsAt: Instant('End of the period.'),
    entries: Type.Array(Entry, { maxItems: MAX_TABLE, description: 'The table, by rank.' }),
    last: Nullable(LastResult, {
      description: 'How the period before ended for you. Null if you had no points in it.',
    }),
  },
  { title: 'UserDivision' },
)

export const DivisionTable = Closed(
  {
    division: Nullable(Division, {
      description: 'Null while you are in no table. With the next points that you earn you are in one.',
    }),
  },
  { title: 'DivisionTable' },
)
export type DivisionTable = Static<typeof DivisionTable>

export const exampleDivision: DivisionTable = {
  division: {
    id: 'weekly',
    name: 'Weekly division',
    level: { id: 'silver', name: 'Silver', number: 2, of: 3 },
    rank: 2,
    size: 30,
    up: 1,
    down: 1,
    endsAt: '2026-11-30T00:00:00.000Z',
    entries: [
      { handle: 'ada', displayName: 'Ada', avatarUrl: null, rank: 1, points: 120, zone: 'up' },
      { handle: 'calebe', displayName: 'Calebe', avatarUrl: null, rank: 2, points: 80, zone: 'down' },
      { handle: null, displayName: null, avatarUrl: null, rank: 3, points: 0, zone: 'leaves' },
    ],
    last: { outcome: 'promoted', levelId: 'bronze', rank: 3, points: 95, endsAt: '2026-11-23T00:00:00.000Z' },
  },
}
