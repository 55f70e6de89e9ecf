import { Closed, Instant, Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { publicReaders } from '../../platform/http/contract/group.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { seasonKind } from './season-kind.ts'

const Season = Closed(
  {
    id: Slug('Slug of the season.'),
    name: Type.String({ description: 'For the fan to read.' }),
    startsAt: Instant('When it starts.'),
    endsAt: Instant('When it ends, exclusive.'),
  },
  { title: 'Season' },
)

const example = {
  id: '2026-27',
  name: '2026/27',
  startsAt: '2026-07-01T00:00:00.000Z',
  endsAt: '2027-07-01T00:00:00.000Z',
}

export const seasonsRoutes = (deps: { publicReads: PublicReads }) =>
  publicReaders(deps, { prefix: '/api/seasons', tag: 'Seasons' }).get(
    '',
    ({ readPublic }) => readPublic(seasonKind.getActive),
    operation({
      id: 'listSeasons',
      summary: 'List the seasons',
      description: 'The past, current and future seasons of the club, ordered by start. They do not overlap.',
      conditional: true,
      query: Closed(LanguageQuery),
      responses: {
        200: Closed(
          { seasons: Type.Array(Season, { description: 'Ordered by start.' }) },
          { title: 'Seasons' },
        ),
      },
      examples: { 200: { seasons: [example] } },
    }),
  )
