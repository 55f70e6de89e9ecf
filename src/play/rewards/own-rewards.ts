/** The rewards that a fan has claimed or redeemed, active or not. */

import { and, desc, eq, lt, or } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page, type TimedPosition } from '../../core/pagination.ts'
import { balanceOf } from '../../economy/points/history.ts'
import { presentReward } from './present.ts'

/** Newest claim first; a redemption does not change the order. */
export async function listOwnRewards(reader: Reader, cursors: Cursors, { userId }: Viewer, page: Page) {
  const list = `rewards ${userId}`
  const before = cursors.decodeTimed(list, page.cursor)
  const rows = await selectClaimed(reader, userId, page.limit + 1, before)
  const { shown, nextCursor } = cutPage(rows, page.limit, ({ own }) =>
    cursors.encodeTimed(list, { at: own.claimedAt, id: own.rewardId }),
  )
  const now = reader.now()
  const rewards = shown.map(({ reward, own, points }) => presentReward(reward, { own, points }, now))
  return { rewards, nextCursor }
}

const selectClaimed = prepared((reader: Reader, userId: string, limit: number, before?: TimedPosition) => {
  const { rewards, userRewards } = reader.tables
  const { rewardId, claimedAt, redeemedAt, redemptionCode } = userRewards
  const older =
    before === undefined
      ? undefined
      : or(lt(claimedAt, before.at), and(eq(claimedAt, before.at), lt(rewardId, before.id)))
  return reader
    .select({
      reward: rewards,
      own: { rewardId, claimedAt, redeemedAt, redemptionCode },
      points: balanceOf(reader, userId),
    })
    .from(userRewards)
    .innerJoin(rewards, eq(rewards.id, rewardId))
    .where(and(eq(userRewards.userId, userId), older))
    .orderBy(desc(claimedAt), desc(rewardId))
    .limit(limit)
})
