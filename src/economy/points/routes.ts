import { type Cursors, pageOf } from '../../core/pagination.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import { readHistory } from './history.ts'
import { thrownBy } from './problems.generated.ts'
import { PointsHistory, PointsQuery } from './schema.ts'

export const pointsRoutes = (deps: FanDeps & { cursors: Cursors }) =>
  fans(deps, { prefix: '/api/user/points', tag: 'Points' }).get(
    '',
    async ({ caller, query }) => {
      const { pointsExpireAfterDays } = await settingsOf(deps.db.read)
      const page = { ...query, ...pageOf(query) }
      return readHistory(deps.db.read, deps.cursors, caller, page, pointsExpireAfterDays)
    },
    operation({
      id: 'readPoints',
      summary: 'Read your points',
      description:
        'Balance, lifetime points and ledger entries, newest first. Filters by reason and time. On servers on which points expire, `expiring` states which expire next.',
      query: PointsQuery,
      responses: { 200: PointsHistory },
      problems: thrownBy.readPoints,
      examples: {
        200: {
          balance: 100,
          held: 0,
          lifetime: 100,
          entries: [
            {
              id: '01981e2c-7c1f-7000-8000-000000000001',
              seq: 1,
              delta: 100,
              balanceAfter: 100,
              reason: 'onboarding',
              ref: 'onboarding',
              createdAt: '2026-08-15T18:30:00.000Z',
              hash: '9f2c1d5ab0c0f0f5b8d1d3a5e7c9b1a3d5f7e9c1b3a5d7f9e1c3b5a7d9f1e3c5',
            },
          ],
          nextCursor: null,
        },
      },
    }),
  )
