import { Closed, Nullable, Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { publicReaders } from '../../platform/http/contract/group.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { Crowd, Deadline, getCompetitions, Joker, PredictionPoints } from './competition-kind.ts'

const Competition = Closed(
  {
    id: Slug('Slug of the competition: the `competition` of its matches.'),
    name: Type.String({ description: 'For the fan to read.' }),
    deadline: Deadline,
    points: PredictionPoints,
    joker: Nullable(Joker),
    crowd: Crowd,
  },
  { title: 'Competition' },
)

const example = {
  id: 'coastal-cup',
  name: 'Coastal Cup',
  deadline: 'round',
  points: { exact: 30, difference: 15, outcome: 10 },
  joker: 3,
  crowd: true,
}

export const competitionsRoutes = (deps: { publicReads: PublicReads }) =>
  publicReaders(deps, { prefix: '/api/competitions', tag: 'Competitions' }).get(
    '',
    ({ readPublic }) => readPublic(getCompetitions),
    operation({
      id: 'listCompetitions',
      summary: 'List the competitions',
      description: 'The active competitions with rules of their own for predictions, by id.',
      conditional: true,
      query: Closed(LanguageQuery),
      responses: {
        200: Closed(
          { competitions: Type.Array(Competition, { description: 'By id.' }) },
          { title: 'Competitions' },
        ),
      },
      examples: { 200: { competitions: [example] } },
    }),
  )
