import { type Cursors, pageOf } from '../../core/pagination.ts'
import { type FanDeps, optionalFans } from '../../identity/auth/groups.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { findQueryErrors, readLeaderboard } from './leaderboard.ts'
import { thrownBy } from './problems.generated.ts'
import { exampleLeaderboard, Leaderboard, LeaderboardQuery } from './schema.ts'

export const leaderboardRoutes = (deps: FanDeps & { cursors: Cursors; publicReads: PublicReads }) =>
  optionalFans(deps, { prefix: '/api/leaderboard', tag: 'Leaderboard' }).get(
    '',
    ({ caller, query, readPublic }) =>
      readPublic(source =>
        readLeaderboard({ ...source, cursors: deps.cursors }, caller, { ...query, ...pageOf(query) }),
      ),
    operation({
      id: 'readLeaderboard',
      summary: 'Read the leaderboard',
      description:
        'Ranks fans who joined it by the points that they earned: all time, in a week or in a month; or with predictions, in all seasons or in one. ' +
        'With `among=following`, `total` and the ranks count only fans that you follow. ' +
        'With a token, `me` is the caller’s own entry, even if it is not on the page.',
      conditional: true,
      query: LeaderboardQuery,
      findErrors: ({ query }) => findQueryErrors(query),
      responses: { 200: Leaderboard },
      problems: thrownBy.readLeaderboard,
      examples: { 200: exampleLeaderboard },
    }),
  )
