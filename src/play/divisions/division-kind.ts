/** Divisions of the catalogue: tables of fans, in levels through which they rise and fall. */
import { MAX_TABLE } from '../../../db/schema/play/divisions.ts'
import { Active, EntrySlug } from '../../club/catalogue/entry-schema.ts'
import { declarePlainKind } from '../../club/catalogue/plain-kind.ts'
import { Text } from '../../club/catalogue/texts.ts'
import { bumpVersion } from '../../club/catalogue/versions.ts'
import { Closed, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'

const DEFAULT_SIZE = 30

const Moving = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_TABLE, default: 0, description }))

const Level = Closed(
  {
    id: EntrySlug('Slug of the level, unique within the division.'),
    name: Text(100, 'What fans see.'),
    up: Moving('How many of a full table rise. The highest level has none above it.'),
    down: Moving('How many of a full table fall. The lowest level has none below it.'),
  },
  { title: 'DivisionLevel' },
)

const DivisionEntry = Closed(
  {
    id: EntrySlug('Slug of the division.'),
    name: Text(100, 'What fans see.'),
    scoring: Type.Optional(
      OneOf(['points', 'predictions'], {
        default: 'points',
        description: 'What counts: all points that fans earn in the period, or those of their predictions.',
      }),
    ),
    size: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: MAX_TABLE,
        default: DEFAULT_SIZE,
        description: 'Members of a full table.',
      }),
    ),
    every: Type.Optional(
      OneOf(['week', 'month'], {
        default: 'week',
        description: 'How long a period lasts, in the time zone of the club.',
      }),
    ),
    levels: Type.Optional(
      Type.Array(Level, {
        minItems: 1,
        maxItems: 20,
        default: [{ id: 'only', name: '1', up: 0, down: 0 }],
        description: 'The lowest first. Default: one, in which nobody rises or falls.',
      }),
    ),
    active: Active,
  },
  { title: 'Division' },
)
export type DivisionEntry = Static<typeof DivisionEntry>

export const divisionKind = declarePlainKind({
  kind: 'division',
  list: 'divisions',
  about:
    'Tables of active fans, in levels: at the end of each week or month the best rise and the last fall.',
  schema: DivisionEntry,
  // Rules give points for a promotion.
  givesValue: true,
  table: ({ divisions }) => divisions,
  faults: ({ levels = [], size = DEFAULT_SIZE }) =>
    levels.flatMap(({ id, up = 0, down = 0 }, index) => [
      ...(levels.findIndex(other => other.id === id) < index
        ? [{ pointer: `/levels/${index}/id`, message: 'is the id of another level' }]
        : []),
      ...(up + down > size
        ? [{ pointer: `/levels/${index}`, message: `up and down must not be more than the size, ${size}` }]
        : []),
    ]),
  lock: bumpVersion,
})
