import { Closed, Instant, Integer, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { PointsEntry } from '../../economy/points/schema.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import type { ResponseCache } from '../../platform/cache/response-cache.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { readDashboard } from './dashboard.ts'

const Count = (description: string) => Integer({ description, minimum: 0 })

const Dashboard = Closed(
  {
    profile: Closed(
      {
        id: Nullable(Type.String(), { description: 'Null until the first write of any kind.' }),
        displayName: Nullable(Type.String(), { description: 'The fan’s own name, or else the provider’s.' }),
        avatarUrl: Nullable(Type.String(), { description: 'The fan’s own picture, or else the provider’s.' }),
      },
      { description: 'What a home screen greets with.' },
    ),
    points: Count('Balance.'),
    rank: Nullable(Integer({ minimum: 1 }), {
      description: 'On the global leaderboard; null for who has not joined it.',
    }),
    rewards: Closed(
      {
        claimable: Count('Can be claimed now.'),
        claimed: Count('Claimed and not yet redeemed.'),
        redeemed: Count('Redeemed.'),
      },
      { description: 'How many rewards.' },
    ),
    packs: Closed(
      { sealed: Count('Not yet opened.'), opened: Count('Opened.') },
      { description: 'How many packs of the fan.' },
    ),
    quests: Closed(
      {
        active: Count('Begun and not completed, in a period that is not over.'),
        claimable: Count('Completed periods whose reward is to be claimed.'),
        streakAtRisk: Nullable(
          Closed({
            questId: Type.String({ description: 'The streak.' }),
            current: Count('Periods completed in a row.'),
            atRiskUntil: Instant('When the run becomes shorter, or ends, if no further period is completed.'),
          }),
          { description: 'The run that ends next, among streaks whose current period is not completed.' },
        ),
      },
      { description: 'How many quests.' },
    ),
    recentPoints: Type.Array(PointsEntry, { maxItems: 5, description: 'The newest ledger entries.' }),
  },
  { title: 'Dashboard' },
)

export const dashboardRoutes = (deps: FanDeps & { cache: ResponseCache }) =>
  fans(deps, { prefix: '/api/dashboard', tag: 'Dashboard' }).get(
    '',
    ({ caller }) => readDashboard({ read: deps.db.read, cache: deps.cache }, caller),
    operation({
      id: 'readDashboard',
      summary: 'Read your dashboard',
      description: 'All that a home screen shows, in one request.',
      conditional: true,
      responses: { 200: Dashboard },
      examples: {
        200: {
          profile: {
            id: '01981e2c-7c1f-7000-8000-000000000001',
            displayName: 'Ada Winger',
            avatarUrl: null,
          },
          points: 100,
          rank: 42,
          rewards: { claimable: 2, claimed: 1, redeemed: 0 },
          packs: { sealed: 1, opened: 3 },
          quests: { active: 3, claimable: 1, streakAtRisk: null },
          recentPoints: [],
        },
      },
    }),
  )
