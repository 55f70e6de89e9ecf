import { type FanDeps, fans } from '../auth/groups.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import { operation } from '../http/contract/operation.ts'
import { respondReady } from '../http/edge/ready-json.ts'
import { claimReward } from './claim.ts'
import { type Rewards, renderRewards } from './list.ts'
import { redeemReward } from './redeem.ts'
import {
  exampleClaimed,
  exampleRedeemed,
  exampleReward,
  RewardReference,
  RewardResult,
  Rewards as RewardsAnswer,
} from './schema.ts'

export const rewardsRoutes = (deps: FanDeps & { cache: ResponseCache }) =>
  fans(deps, { prefix: '/api/rewards', tag: 'Rewards' })
    .get(
      '',
      async ({ caller }) =>
        respondReady<Rewards>(await renderRewards({ ...deps, read: deps.db.read }, caller.userId)),
      operation({
        id: 'listRewards',
        summary: 'List the active rewards',
        description: 'Cheapest first, each with what you have done with it and what is missing.',
        data: 'read',
        responses: { 200: RewardsAnswer },
        examples: { responses: { 200: { points: 100, rewards: [exampleReward] } } },
      }),
    )
    .post(
      '/claim',
      ({ body, caller, write }) => write(tx => claimReward(tx, caller, body)),
      operation({
        id: 'claimReward',
        limit: 'claims',
        summary: 'Claim a reward',
        description: 'Needs the points, and spends none. The problems are checked in the order listed.',
        data: 'write',
        body: RewardReference,
        responses: { 200: RewardResult },
        problems: claimReward.problems,
        examples: { body: { rewardId: 'scarf-discount' }, responses: { 200: { reward: exampleClaimed } } },
      }),
    )
    .post(
      '/redeem',
      ({ body, caller, write }) => write(tx => redeemReward(tx, caller, body)),
      operation({
        id: 'redeemReward',
        limit: 'claims',
        summary: 'Redeem a claimed reward',
        description: 'Mints the redemption code. Works also when the reward is no longer active.',
        data: 'write',
        body: RewardReference,
        responses: { 200: RewardResult },
        problems: redeemReward.problems,
        examples: { body: { rewardId: 'scarf-discount' }, responses: { 200: { reward: exampleRedeemed } } },
      }),
    )
