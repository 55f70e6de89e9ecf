import { Closed, Nullable, Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

const Colour = Nullable(Type.String({ pattern: '^#[0-9a-f]{6}$' }), { description: 'Like #c8102e.' })

export const Team = Closed(
  {
    id: Slug('Slug of the team.'),
    name: Type.String({ description: 'For the fan to read.' }),
    shortName: Type.String({ description: 'Three letters or so, for score lines.' }),
    city: Nullable(Type.String(), { description: 'Where it plays.' }),
    country: Nullable(Type.String(), { description: 'ISO 3166-1 alpha-2, or XK.' }),
    primaryColor: Colour,
    secondaryColor: Colour,
    crestUrl: Nullable(Type.String(), {
      description: 'Its crest: https URL, or a path of the API’s origin.',
    }),
  },
  { title: 'Team' },
)

export const exampleTeam = {
  id: 'harbour-city',
  name: 'Harbour City FC',
  shortName: 'HAR',
  city: 'Port Wessel',
  country: 'GB',
  primaryColor: '#0b3d91',
  secondaryColor: '#f4f4f4',
  crestUrl: null,
}
