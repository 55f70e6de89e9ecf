/** The rewards that can be had now, with what the caller has done and still needs. */
import { eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import type { Caller } from '../caller.ts'
import { findUser } from '../identity/users.ts'
import { readBalance } from '../points/ledger.ts'
import type { ViewCache } from '../views/view-cache.ts'
import { isActive } from '../window.ts'
import { viewCatalogue } from './catalogue.ts'
import { presentReward, type UserRewardRow } from './present.ts'

interface Sources {
  read: Reader
  views: ViewCache
}

/** Cheapest first. A fan without a record has no points and has claimed nothing. */
export async function listRewards({ read, views }: Sources, caller: Caller) {
  const now = read.now()
  const catalogue = await viewCatalogue(read, views)
  const user = await findUser(read, caller)
  const { balance } = await readBalance(read, user?.id)
  const own = user ? await selectOwn(read, { userId: user.id }) : []
  const ownByReward = new Map(own.map(row => [row.rewardId, row]))
  const rewards = catalogue
    .filter(reward => isActive(reward, now))
    .map(reward => presentReward(reward, ownByReward.get(reward.id), balance, now))
  return { points: balance, rewards }
}

const selectOwn = prepared<{ userId: string }, UserRewardRow[]>((reader, value) => {
  const { userRewards } = reader.tables
  return reader
    .select()
    .from(userRewards)
    .where(eq(userRewards.userId, value('userId')))
})
