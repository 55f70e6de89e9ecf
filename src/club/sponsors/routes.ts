import { Closed, Nullable, Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { publicReaders } from '../../platform/http/contract/group.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { sponsorKind } from './sponsor-kind.ts'

const Sponsor = Closed(
  {
    id: Slug('Slug of the sponsor.'),
    name: Type.String({ description: 'For the fan to read.' }),
    imageUrl: Nullable(Type.String(), { description: 'Its logo: https URL, or a path of the API’s origin.' }),
    url: Nullable(Type.String(), { description: 'Its page: https URL.' }),
  },
  { title: 'Sponsor' },
)

const example = {
  id: 'tideline-ferries',
  name: 'Tideline Ferries',
  imageUrl: '/pictures/tideline.svg',
  url: 'https://tideline.example/',
}

export const sponsorsRoutes = (deps: { publicReads: PublicReads }) =>
  publicReaders(deps, { prefix: '/api/sponsors', tag: 'Sponsors' }).get(
    '',
    ({ readPublic }) => readPublic(sponsorKind.getActive),
    operation({
      id: 'listSponsors',
      summary: 'List the sponsors',
      description: 'The active sponsors of the club, by id.',
      conditional: true,
      query: Closed(LanguageQuery),
      responses: {
        200: Closed({ sponsors: Type.Array(Sponsor, { description: 'By id.' }) }, { title: 'Sponsors' }),
      },
      examples: { 200: { sponsors: [example] } },
    }),
  )
