/** SQL for the numbers of rewards that a fan can claim, has claimed and has redeemed, as a part of a larger statement. */
import { and, count, eq, gt, isNull, lte, notInArray, or } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { activeAt } from '../catalogue/availability.ts'
import { balanceOf } from '../points/history.ts'

/** `userId` is empty for a fan without a record, who has no points. `now` is a `Date`. */
export function rewardCounts(reader: Reader, { userId, now }: { userId: string; now: Date }) {
  const { rewards, userRewards } = reader.tables
  const claims = reader
    .select({ all: count().as('claims'), redeemed: count(userRewards.redeemedAt).as('redeemed') })
    .from(userRewards)
    .where(eq(userRewards.userId, userId))
  // Read once: `not exists` would look up each reward.
  const own = reader
    .select({ rewardId: userRewards.rewardId })
    .from(userRewards)
    .where(eq(userRewards.userId, userId))
  // The same rules as `findBlockers` in `present.ts`.
  const claimable = reader
    .select({ count: count().as('claimable') })
    .from(rewards)
    .where(
      and(
        activeAt(rewards, now),
        lte(rewards.pointsRequired, balanceOf(reader, userId)),
        notInArray(rewards.id, own),
        or(isNull(rewards.stockRemaining), gt(rewards.stockRemaining, 0)),
      ),
    )
  return { claims: claims.as('claims'), claimable: claimable.as('claimable') }
}
