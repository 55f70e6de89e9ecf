import { exampleTeam } from '../../club/teams/schema.ts'
import { type FanDeps, optionalFans } from '../../identity/auth/groups.ts'
import { HandleParams } from '../../identity/relations/schema.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { readFanPage } from './fan-page.ts'
import { FanPage } from './schema.ts'

export const socialRoutes = (deps: FanDeps & { publicReads: PublicReads }) =>
  optionalFans(deps, { prefix: '/api/fans', tag: 'Fans' }).get(
    '/:handle',
    ({ caller, params, readPublic }) => readPublic(source => readFanPage(source, caller, params.handle)),
    operation({
      id: 'readFan',
      summary: 'Read the page of a fan',
      description:
        'What the fan shows to you, or without a token to everyone. A fan who has blocked you, and one that you have blocked, is not found.',
      params: HandleParams,
      responses: { 200: FanPage },
      problems: readFanPage.problems,
      examples: {
        200: {
          handle: 'calebe',
          displayName: 'Calebe',
          avatarUrl: null,
          favoriteTeam: exampleTeam,
          rank: 42,
          points: 1250,
          following: true,
          followsYou: false,
        },
      },
    }),
  )
