/** The measured catalogue: twenty rewards. */
import type { Plan } from './plan.ts'

/** Rows by table, with the column names of the database; times are ISO 8601. */
export type Rows = Record<string, Record<string, string | number | boolean | null>[]>

export const REWARDS = 20
/** Every fan has claimed the first three, and redeemed the first. */
export const CLAIMED = 3
/** More than every price: no claim fails with insufficient points. */
export const POINTS = 5_000

export const rewardId = (index: number) => `reward-${String(index).padStart(2, '0')}`

/** Rewards that no fan has claimed. */
export const claimable = Array.from({ length: REWARDS - CLAIMED }, (_, index) => rewardId(CLAIMED + index))

/** Each fan claims each reward once. The list is read first with the same token. */
export const claimPlan = (tokens: string[]): Plan => ({
  tokens,
  requests: claimable.map(rewardId => ({
    method: 'POST',
    path: '/api/rewards/claim',
    body: JSON.stringify({ rewardId }),
  })),
  once: true,
  primePath: '/api/rewards',
})

export function catalogueRows(now: string): Rows {
  const stamps = { created_at: now, updated_at: now }
  return {
    rewards: Array.from({ length: REWARDS }, (_, i) => ({
      id: rewardId(i),
      title: `Reward number ${i}`,
      description: 'One of this season, in the stadium shop or at the gate, while there are some left.',
      image_url: `https://cdn.example.com/rewards/${rewardId(i)}.webp`,
      item_type: i % 2 ? 'voucher' : 'merchandise',
      points_required: i * 100,
      active: true,
      starts_at: null,
      ends_at: null,
      stock_remaining: i % 2 ? 100_000_000 : null,
      ...stamps,
    })),
  }
}
