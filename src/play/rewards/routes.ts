import { Elysia } from 'elysia'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import type { ResponseCache } from '../../platform/cache/response-cache.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { respondReady } from '../../platform/http/edge/ready-json.ts'
import { claimReward } from './claim.ts'
import { renderRewards } from './list.ts'
import { listOwnRewards } from './own-rewards.ts'
import { thrownBy } from './problems.generated.ts'
import { redeemReward } from './redeem.ts'
import {
  exampleClaimed,
  exampleRedeemed,
  exampleReward,
  OwnRewards,
  RewardReference,
  RewardResult,
  Rewards as RewardsResponse,
} from './schema.ts'

type RewardsDeps = FanDeps & { cache: ResponseCache; cursors: Cursors }

const TAG = 'Rewards'

const catalogueRoutes = (deps: RewardsDeps) =>
  fans(deps, { prefix: '/api/rewards', tag: TAG })
    .get(
      '',
      async ({ caller }) =>
        respondReady<typeof RewardsResponse.static>(
          await renderRewards({ ...deps, read: deps.db.read }, caller.userId),
        ),
      operation({
        id: 'listRewards',
        summary: 'List the active rewards',
        description: 'Cheapest first, each with its state for the caller and the points that are missing.',
        query: Closed(LanguageQuery),
        responses: { 200: RewardsResponse },
        examples: { 200: { points: 100, rewards: [exampleReward] } },
      }),
    )
    .post(
      '/claim',
      ({ body, write }) => write((tx, fan) => claimReward(tx, fan, body)),
      operation({
        id: 'claimReward',
        limit: 'claims',
        summary: 'Claim a reward',
        description: 'Requires the points but does not spend them. Problems are checked in the order listed.',
        query: Closed(LanguageQuery),
        body: RewardReference,
        responses: { 200: RewardResult },
        problems: thrownBy.claimReward,
        examples: { body: { rewardId: 'scarf-discount' }, 200: { reward: exampleClaimed } },
      }),
    )
    .post(
      '/redeem',
      ({ body, write }) => write((tx, fan) => redeemReward(tx, fan, body)),
      operation({
        id: 'redeemReward',
        limit: 'claims',
        summary: 'Redeem a claimed reward',
        description: 'Generates the redemption code, even if the reward is no longer active.',
        query: Closed(LanguageQuery),
        body: RewardReference,
        responses: { 200: RewardResult },
        problems: thrownBy.redeemReward,
        examples: { body: { rewardId: 'scarf-discount' }, 200: { reward: exampleRedeemed } },
      }),
    )

const ownRoutes = (deps: RewardsDeps) =>
  fans(deps, { prefix: '/api/user/rewards', tag: TAG }).get(
    '',
    ({ caller, query }) => listOwnRewards(deps.db.read, deps.cursors, caller, pageOf(query)),
    operation({
      id: 'listOwnRewards',
      summary: 'List the rewards that you have claimed',
      description: 'Newest claim first, with redemption codes. Includes rewards that are no longer active.',
      query: Closed({ ...PageQuery, ...LanguageQuery }),
      responses: { 200: OwnRewards },
      problems: thrownBy.listOwnRewards,
      examples: { 200: { rewards: [exampleRedeemed], nextCursor: null } },
    }),
  )

export const rewardsRoutes = (deps: RewardsDeps) =>
  new Elysia({ name: 'matchday/rewards-routes' }).use(catalogueRoutes(deps)).use(ownRoutes(deps))
