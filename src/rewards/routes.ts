import { Elysia } from 'elysia'
import { type AuthDeps, authenticate } from '../auth/authenticate.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import { operation } from '../http/contract/operation.ts'
import { answerReady } from '../http/edge/ready-json.ts'
import { type MutationDeps, mutate } from '../http/idempotency/idempotency.ts'
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

export const rewardsRoutes = (deps: AuthDeps & MutationDeps & { cache: ResponseCache }) =>
  new Elysia({ name: 'matchday/rewards', prefix: '/api/rewards' })
    .use(authenticate(deps))
    .get(
      '',
      async ({ caller }) =>
        answerReady<Rewards>(await renderRewards({ ...deps, read: deps.db.read }, caller.userId)),
      operation({
        id: 'listRewards',
        summary: 'List the active rewards',
        description: 'Cheapest first, each with what you have done with it and what is missing.',
        tag: 'Rewards',
        caller: 'caller',
        data: 'read',
        answers: { 200: RewardsAnswer },
        examples: { answers: { 200: { points: 100, rewards: [exampleReward] } } },
      }),
    )
    .post(
      '/claim',
      ({ body, caller, request, route, set }) =>
        mutate(deps, { body, caller, request, route, set }, tx => claimReward(tx, caller, body)),
      operation({
        id: 'claimReward',
        summary: 'Claim a reward',
        description: 'Needs the points, and spends none. The problems are checked in the order listed.',
        tag: 'Rewards',
        caller: 'caller',
        data: 'write',
        body: RewardReference,
        answers: { 200: RewardResult },
        problems: [
          'reward_not_found',
          'reward_inactive',
          'insufficient_points',
          'already_claimed',
          'out_of_stock',
        ],
        examples: { body: { rewardId: 'scarf-discount' }, answers: { 200: { reward: exampleClaimed } } },
      }),
    )
    .post(
      '/redeem',
      ({ body, caller, request, route, set }) =>
        mutate(deps, { body, caller, request, route, set }, tx => redeemReward(tx, caller, body)),
      operation({
        id: 'redeemReward',
        summary: 'Redeem a claimed reward',
        description: 'Mints the redemption code. Works also when the reward is no longer active.',
        tag: 'Rewards',
        caller: 'caller',
        data: 'write',
        body: RewardReference,
        answers: { 200: RewardResult },
        problems: ['reward_not_found', 'not_claimed', 'already_redeemed'],
        examples: { body: { rewardId: 'scarf-discount' }, answers: { 200: { reward: exampleRedeemed } } },
      }),
    )
