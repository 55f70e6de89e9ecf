import { Closed } from '../../core/schemas.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { readDivision } from './read-division.ts'
import * as schema from './schema.ts'

export const divisionsRoutes = (deps: FanDeps) =>
  fans(deps, { prefix: '/api/user/division', tag: 'Divisions' }).get(
    '',
    ({ caller, query }) => readDivision(deps.db.read, caller, query.division),
    operation({
      id: 'readDivision',
      summary: 'Read your division',
      description:
        'Your table of the current week or month, with what it means for each member if the period ended now. What it shows of a member follows from the privacy of the member, as on leaderboards.',
      query: Closed({ ...LanguageQuery, ...schema.divisionQuery }),
      responses: { 200: schema.DivisionTable },
      examples: { 200: schema.exampleDivision },
    }),
  )
