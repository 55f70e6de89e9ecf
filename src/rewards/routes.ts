import { Elysia } from 'elysia'
import { type AuthDeps, authenticate } from '../auth/authenticate.ts'
import { type MutationDeps, mutate } from '../http/idempotency.ts'
import { operation } from '../http/operation.ts'
import { claimReward } from './claim.ts'
import { listRewards } from './list.ts'
import { redeemReward } from './redeem.ts'
import {
  exampleClaimed,
  exampleRedeemed,
  exampleReward,
  RewardReference,
  RewardResult,
  Rewards,
} from './schema.ts'

export const rewardsRoutes = (deps: AuthDeps & MutationDeps) =>
  new Elysia({ name: 'matchday/rewards', prefix: '/api/rewards' })
    .use(authenticate(deps))
    .get(
      '',
      ({ caller }) => listRewards(deps.db.read, caller),
      operation({
        id: 'listRewards',
        summary: 'List the active rewards',
        description: 'Cheapest first, each with what you have done with it and what is missing.',
        tag: 'Rewards',
        caller: 'caller',
        data: 'read',
        answers: { 200: Rewards },
        examples: { answers: { 200: { points: 100, rewards: [exampleReward] } } },
      }),
    )
    .post(
      '/claim',
      context => mutate(deps, context, tx => claimReward(tx, context.caller, context.body)),
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
      context => mutate(deps, context, tx => redeemReward(tx, context.caller, context.body)),
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
