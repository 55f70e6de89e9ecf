import { Closed } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { publicReaders } from '../../platform/http/contract/group.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { exampleTeam, Team } from './schema.ts'
import { teamKind } from './team-kind.ts'

export const teamsRoutes = (deps: { publicReads: PublicReads }) =>
  publicReaders(deps, { prefix: '/api/teams', tag: 'Teams' }).get(
    '',
    ({ readPublic }) => readPublic(teamKind.getActive),
    operation({
      id: 'listTeams',
      summary: 'List the teams',
      description: 'The clubs that a fan can follow, by id.',
      conditional: true,
      query: Closed(LanguageQuery),
      responses: { 200: Closed({ teams: Type.Array(Team, { description: 'By id.' }) }, { title: 'Teams' }) },
      examples: {
        200: {
          teams: [exampleTeam],
        },
      },
    }),
  )
