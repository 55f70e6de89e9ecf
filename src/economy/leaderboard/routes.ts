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
        'Fans who joined it, by points earned: of all time, of a week or of a month; or by points earned with predictions, of all seasons or of one. ' +
        'With `among=following`, ranks and `total` are those among the fans that you follow. ' +
        'With a token, `me` is the caller’s own entry, also if it is not on the page.',
      conditional: true,
      query: LeaderboardQuery,
      findErrors: ({ query }) => findQueryErrors(query),
      responses: { 200: Leaderboard },
      problems: thrownBy.readLeaderboard,
      examples: { 200: exampleLeaderboard },
    }),
  )
