import { Closed } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { Active, EntrySlug, Maybe, PictureUrl } from '../catalogue/entry-schema.ts'
import { Text } from '../catalogue/texts.ts'

const Colour = Maybe(
  Type.String({
    pattern: '^#[0-9a-f]{6}$',
    description: 'Like #c8102e.',
    errorNoun: 'a colour like #c8102e',
  }),
)

/** A team as an importer states it. */
export const TeamEntry = Closed(
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
export type TeamEntry = Static<typeof TeamEntry>
