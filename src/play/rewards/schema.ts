import { ShownSponsorId } from '../../club/sponsors/sponsorship.ts'
import { Closed, IdReference, Instant, Integer, NextCursor, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { REQUIRES_CODES, type RequiresCode, ShownRequires } from '../eligibility/requires.ts'
import { exampleMembers, rewardMembers } from './reward-members.ts'

type Blocker = 'reward_inactive' | 'already_claimed' | 'out_of_stock' | RequiresCode
const BLOCKERS: Blocker[] = [
  'reward_inactive',
  'insufficient_points',
  'already_claimed',
  ...REQUIRES_CODES.filter(code => code !== 'insufficient_points'),
  'out_of_stock',
]

const Reward = Closed(
  {
    ...rewardMembers,
    pointsRequired: Integer({
      description: 'Points required for a claim, which does not spend them.',
      minimum: 0,
    }),
    requires: ShownRequires('Further requirements of a claim. All of them must be met.'),
    sponsorId: ShownSponsorId,
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
    claimable: Type.Boolean({ description: 'Whether a claim would succeed now.' }),
    missingPoints: Integer({ minimum: 0, description: 'Points that the caller lacks.' }),
    blockedBy: Type.Array(Type.Unsafe<Blocker>(OneOf(BLOCKERS)), {
      description:
        'Problem codes of a claim made now, in the order of the checks. For a claimed reward, those of `requires` are not listed.',
    }),
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
  ...exampleMembers,
  pointsRequired: 100,
  requires: {},
  sponsorId: 'tideline-ferries',
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
