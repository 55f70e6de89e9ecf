import { Closed, Instant, Integer, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { HeldPoints, PointsEntry, ShownTiers } from '../../economy/points/schema.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import type { ResponseCache } from '../../platform/cache/response-cache.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
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
      { description: 'The profile data for the top of a home screen.' },
    ),
    points: Count('Balance, including held points.'),
    held: HeldPoints,
    rank: Nullable(Integer({ minimum: 1 }), {
      description: 'Rank on the global leaderboard. Null for fans who have not joined it.',
    }),
    tier: ShownTiers('One for each account with a tier.'),
    rewards: Closed(
      {
        claimable: Count('Can be claimed now.'),
        claimed: Count('Claimed and not yet redeemed.'),
        redeemed: Count('Redeemed.'),
      },
      { description: 'Numbers of rewards.' },
    ),
    packs: Closed(
      { sealed: Count('Not yet opened.'), opened: Count('Opened.') },
      { description: 'Numbers of packs of the fan.' },
    ),
    quests: Closed(
      {
        active: Count('Started, but not completed, in a period that is not over.'),
        claimable: Count('Completed periods with an unclaimed reward.'),
        streakAtRisk: Nullable(
          Closed({
            questId: Type.String({ description: 'The streak.' }),
            current: Count('Periods completed in a row.'),
            atRiskUntil: Instant('When the run becomes shorter, or ends, if no further period is completed.'),
          }),
          { description: 'The streak that ends next, among those whose current period is not completed.' },
        ),
      },
      { description: 'Numbers of quests.' },
    ),
    unread: Count('Messages of the inbox that are not read.'),
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
      description: 'The data of a home screen, in one request.',
      conditional: true,
      query: Closed(LanguageQuery),
      responses: { 200: Dashboard },
      examples: {
        200: {
          profile: {
            id: '01981e2c-7c1f-7000-8000-000000000001',
            displayName: 'Ada Winger',
            avatarUrl: null,
          },
          points: 100,
          held: 0,
          rank: 42,
          tier: [],
          rewards: { claimable: 2, claimed: 1, redeemed: 0 },
          packs: { sealed: 1, opened: 3 },
          quests: { active: 3, claimable: 1, streakAtRisk: null },
          unread: 1,
          recentPoints: [],
        },
      },
    }),
  )
