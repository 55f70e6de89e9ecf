import { Closed, IdReference, Instant, Integer, NextCursor, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { Holds } from '../wallets/schema.ts'

/** What describes a reward. */
export const rewardMembers = {
  id: Type.String({ description: 'Slug of the reward.' }),
  title: Type.String({ description: 'Title of the reward.' }),
  description: Type.String({ description: 'What the fan gets, and how.' }),
  imageUrl: Nullable(Type.String(), { description: 'https URL, or a path of the API’s origin.' }),
  itemType: Type.String({ examples: ['voucher'], description: 'Kind of item: any text.' }),
}

const Reward = Closed(
  {
    ...rewardMembers,
    pointsRequired: Integer({
      description: 'Points required for a claim, which does not spend them.',
      minimum: 0,
    }),
    requires: Closed(
      { holds: Type.Optional(Holds) },
      { description: 'What else a claim requires; it is checked when the reward is claimed.' },
    ),
    active: Type.Boolean({
      description:
        'Whether the reward is available: its flag is on, and now is between `startsAt` and `endsAt`.',
    }),
    startsAt: Nullable(Instant('When claims start.')),
    endsAt: Nullable(Instant('When claims end.')),
    stockRemaining: Nullable(Integer({ minimum: 0 }), {
      description: 'Units left to claim. Null: no limit.',
    }),
    state: OneOf(['unclaimed', 'claimed', 'redeemed'], { description: 'State of the caller’s claim.' }),
    unlocked: Type.Boolean({ description: 'Whether the caller has the required points.' }),
    claimable: Type.Boolean({ description: 'Whether a claim would succeed now, `requires` apart.' }),
    missingPoints: Integer({ minimum: 0, description: 'Points that the caller lacks.' }),
    blockedBy: Type.Array(
      OneOf(['reward_inactive', 'insufficient_points', 'already_claimed', 'out_of_stock']),
      { description: 'Problem codes of a claim made now, in the order of the checks.' },
    ),
    claimedAt: Nullable(Instant('When the caller claimed it.')),
    redeemedAt: Nullable(Instant('When the caller redeemed it.')),
    redemptionCode: Nullable(Type.String(), {
      description: 'Generated when the reward is redeemed; shown to staff.',
    }),
  },
  { title: 'Reward', description: 'A reward as the caller sees it.' },
)

export const Rewards = Closed(
  {
    points: Integer({ description: 'The caller’s balance.', minimum: 0 }),
    rewards: Type.Array(Reward, { description: 'Active ones.' }),
  },
  { title: 'Rewards' },
)

export const OwnRewards = Closed(
  {
    rewards: Type.Array(Reward, { description: 'Claimed and redeemed, active or not.' }),
    nextCursor: NextCursor,
  },
  { title: 'OwnRewards' },
)

export const RewardResult = Closed({ reward: Reward }, { title: 'RewardResult' })

export const RewardReference = Closed(
  { rewardId: IdReference('The `id` of the reward.', 'scarf-discount') },
  { title: 'RewardReference' },
)
export type RewardReference = typeof RewardReference.static

export const exampleReward = {
  id: 'scarf-discount',
  title: '20 % off the home scarf',
  description: 'One scarf of this season, in the stadium shop or online.',
  imageUrl: null,
  itemType: 'voucher',
  pointsRequired: 100,
  requires: {},
  active: true,
  startsAt: null,
  endsAt: null,
  stockRemaining: 250,
  state: 'unclaimed',
  unlocked: true,
  claimable: true,
  missingPoints: 0,
  blockedBy: [],
  claimedAt: null,
  redeemedAt: null,
  redemptionCode: null,
}

export const exampleClaimed = {
  ...exampleReward,
  stockRemaining: 249,
  state: 'claimed',
  claimable: false,
  blockedBy: ['already_claimed'],
  claimedAt: '2026-08-15T18:30:00.000Z',
}

export const exampleRedeemed = {
  ...exampleClaimed,
  state: 'redeemed',
  redeemedAt: '2026-08-16T12:00:00.000Z',
  redemptionCode: '7Q2M-X9KD-4T0B-HW5E',
}
