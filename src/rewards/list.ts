/** The rewards that can be had now, with what the caller has done and still needs. */
import { eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { readBalance } from '../points/ledger.ts'
import type { ViewCache } from '../views/view-cache.ts'
import { isActive } from '../window.ts'
import { viewCatalogue } from './catalogue.ts'
import { presentReward, type UserRewardRow } from './present.ts'
import { renderReward } from './render.ts'

interface Sources {
  read: Reader
  views: ViewCache
}

export type Rewards = Awaited<ReturnType<typeof listRewards>>

/** Cheapest first. A fan without a record has no points and has claimed nothing. */
export async function listRewards(sources: Sources, userId: string | undefined) {
  const { points, rewards, own, now } = await readShelf(sources, userId)
  return { points, rewards: rewards.map(reward => presentReward(reward, own.get(reward.id), points, now)) }
}

/** The same as JSON text: the catalogue's part of each reward is written once for all fans. */
export async function renderRewards(sources: Sources, userId: string | undefined) {
  const { points, rewards, own, now } = await readShelf(sources, userId)
  const rendered = rewards.map(reward => renderReward(reward, own.get(reward.id), points, now))
  return { text: `{"points":${points},"rewards":[${rendered.join(',')}]}` }
}

async function readShelf({ read, views }: Sources, userId: string | undefined) {
  const now = read.now()
  const catalogue = await viewCatalogue(read, views)
  const { balance: points } = await readBalance(read, userId)
  const rows = userId === undefined ? [] : await selectOwn(read, { userId })
  const own = new Map(rows.map(row => [row.rewardId, row]))
  return { points, rewards: catalogue.filter(reward => isActive(reward, now)), own, now }
}

const selectOwn = prepared<{ userId: string }, UserRewardRow[]>((reader, value) => {
  const { userRewards } = reader.tables
  return reader
    .select()
    .from(userRewards)
    .where(eq(userRewards.userId, value('userId')))
})
