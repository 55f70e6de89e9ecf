/** Teams as an importer states them. Fans who follow a team that is switched off keep it. */
import { isCountry } from '../../core/country.ts'
import { Closed } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { Active, EntrySlug, Maybe, PictureUrl } from '../catalogue/entry-schema.ts'
import { declarePlainKind } from '../catalogue/plain-kind.ts'
import { Text } from '../catalogue/texts.ts'

const Colour = Maybe(
  Type.String({
    pattern: '^#[0-9a-f]{6}$',
    description: 'Like #c8102e.',
    errorNoun: 'a colour like #c8102e',
  }),
)

const TeamEntry = Closed(
  {
    id: EntrySlug('Slug of the team.'),
    name: Text(100, 'As fans say it.'),
    shortName: Text(10, 'Three letters or so, for score lines.'),
    city: Maybe(Text(100, 'Where it plays.')),
    country: Maybe(
      Type.String({
        pattern: '^[A-Z]{2}$',
        description: 'ISO 3166-1 alpha-2, or XK.',
        errorNoun: 'a country code like GB',
      }),
    ),
    primaryColor: Colour,
    secondaryColor: Colour,
    crestUrl: Maybe(PictureUrl('Image of the crest.')),
    active: Active,
  },
  { title: 'Team' },
)

export const teamKind = declarePlainKind({
  kind: 'team',
  list: 'teams',
  about: 'A club that fans can follow, and that plays matches.',
  schema: TeamEntry,
  givesValue: false,
  table: ({ teams }) => teams,
  faults: ({ country }) =>
    country == null || isCountry(country)
      ? []
      : [{ pointer: '/country', message: 'must be an ISO 3166-1 alpha-2 code in capitals, or XK' }],
})
