import { Closed } from '../../core/schemas.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import type { ResponseCache } from '../../platform/cache/response-cache.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { exampleSet, Sets } from './schema.ts'
import { listSets } from './sets.ts'

export const setsRoutes = (deps: FanDeps & { cache: ResponseCache }) =>
  fans(deps, { prefix: '/api/user/sets', tag: 'Packs' }).get(
    '',
    ({ caller }) => listSets({ read: deps.db.read, cache: deps.cache }, caller),
    operation({
      id: 'listSets',
      summary: 'List your sets',
      description:
        'The sets of the catalogue, with the items of each that you own. The last missing item completes the set and gives its reward, no matter whether it comes from a pack, a quest, a trade or a gift.',
      conditional: true,
      query: Closed(LanguageQuery),
      responses: { 200: Sets },
      examples: { 200: { sets: [exampleSet] } },
    }),
  )
