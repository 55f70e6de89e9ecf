/** The rewards that are available now, each with its state for the caller. */
import { eq, sql } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import { findNextChange, isActive } from '../catalogue/availability.ts'
import { balanceOf } from '../points/history.ts'
import { getCatalogue } from './catalogue.ts'
import { presentReward, type RewardRow } from './present.ts'
import { renderReward } from './render.ts'

interface Sources {
  read: Reader
  cache: ResponseCache
}

export type Rewards = Awaited<ReturnType<typeof listRewards>>

/** Cheapest first. A fan without a record has no points and has claimed nothing. */
export async function listRewards(sources: Sources, userId: string | undefined) {
  const { points, rewards, own, now } = await readAvailable(sources, userId)
  return { points, rewards: rewards.map(reward => presentReward(reward, own.get(reward.id), points, now)) }
}

/** `listRewards` as JSON text. The part of each reward that is equal for all fans is rendered once. */
export async function renderRewards(sources: Sources, userId: string | undefined) {
  const { points, rewards, own, now } = await readAvailable(sources, userId)
  const rendered = rewards.map(reward => renderReward(reward, own.get(reward.id), points, now))
  return { text: `{"points":${points},"rewards":[${rendered.join(',')}]}` }
}

async function readAvailable({ read, cache }: Sources, userId: string | undefined) {
  const now = read.now()
  const rewards = activeAt(now, await getCatalogue(read, cache))
  const rows = userId === undefined ? [] : await selectOwn(read, userId)
  const own = new Map(rows.flatMap(({ own }) => (own ? [[own.rewardId, own] as const] : [])))
  return { points: rows[0]?.points ?? 0, rewards, own, now }
}

/** The rewards of a catalogue that are active from `since` on, and before `until`; null has no end. */
interface ActiveRewards {
  rewards: RewardRow[]
  since: Date
  until: Date | null
}

const activeRewards = new WeakMap<RewardRow[], ActiveRewards>()

/** The active rewards of a catalogue, filtered once until the next reward starts or ends. */
function activeAt(now: Date, catalogue: RewardRow[]): RewardRow[] {
  const known = activeRewards.get(catalogue)
  if (known && known.since <= now && (known.until === null || now < known.until)) return known.rewards
  const rewards = catalogue.filter(reward => isActive(reward, now))
  activeRewards.set(catalogue, { rewards, since: now, until: findNextChange(catalogue, now) })
  return rewards
}

/** The fan's points, with each of their claims: null for a fan who has claimed nothing. */
const selectOwn = prepared((reader: Reader, userId: string) => {
  const { userRewards } = reader.tables
  const { rewardId, claimedAt, redeemedAt, redemptionCode } = userRewards
  return reader
    .select({
      points: balanceOf(reader, userId),
      own: { rewardId, claimedAt, redeemedAt, redemptionCode },
    })
    .from(sql`(select 1) one`)
    .leftJoin(userRewards, eq(userRewards.userId, userId))
})
