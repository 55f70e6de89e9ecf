/** The rewards that can be had now, with what the caller has done and still needs. */
import { eq } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { readBalance } from '../points/ledger.ts'
import { fanTopic, rewardsTopic } from '../views/topics.ts'
import type { ViewCache } from '../views/view-cache.ts'
import { isActive, nextEdge } from '../window.ts'
import { viewCatalogue } from './catalogue.ts'
import { type OwnReward, presentReward, type RewardRow } from './present.ts'
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

/** Who asked lately. */
const seen = new LRUCache<string, true>({ max: 2_000 })

/**
 * The same as JSON text, kept for a fan who asks again, where that is exact. Kept for all, the lists of a crowd would push
 * out one another, each grown old enough to be dear to collect.
 */
export async function viewRewards(sources: Sources, userId: string | undefined) {
  const comesAgain = userId !== undefined && seen.has(userId)
  if (userId !== undefined) seen.set(userId, true)
  const text = await (!comesAgain
    ? renderRewards(sources, userId).then(({ value }) => value)
    : sources.views.readExactly(`rewards of ${userId}`, async () => ({
        ...(await renderRewards(sources, userId)),
        topics: [fanTopic(userId), rewardsTopic],
      })))
  return { text }
}

/** The catalogue's part of each reward is written once for all fans. */
async function renderRewards(sources: Sources, userId: string | undefined) {
  const { points, rewards, own, now, until } = await readShelf(sources, userId)
  const rendered = rewards.map(reward => renderReward(reward, own.get(reward.id), points, now))
  return { value: `{"points":${points},"rewards":[${rendered.join(',')}]}`, until }
}

async function readShelf({ read, views }: Sources, userId: string | undefined) {
  const now = read.now()
  const { rewards, until } = shelfAt(now, await viewCatalogue(read, views))
  const { balance: points } = await readBalance(read, userId)
  const rows = userId === undefined ? [] : await selectOwn(read, { userId })
  const own = new Map(rows.map(row => [row.rewardId, row]))
  return { points, rewards, own, now, until }
}

interface Shelf {
  rewards: RewardRow[]
  /** From when to before when these are the active ones; null: for good. */
  since: Date
  until: Date | null
}

const shelves = new WeakMap<RewardRow[], Shelf>()

/** What of a catalogue is active now: the same for all who ask until the next window opens or closes. */
function shelfAt(now: Date, catalogue: RewardRow[]): Shelf {
  const known = shelves.get(catalogue)
  if (known && known.since <= now && (known.until === null || now < known.until)) return known
  const rewards = catalogue.filter(reward => isActive(reward, now))
  const shelf = { rewards, since: now, until: nextEdge(catalogue, now) }
  shelves.set(catalogue, shelf)
  return shelf
}

const selectOwn = prepared<{ userId: string }, OwnReward[]>((reader, value) => {
  const { userRewards } = reader.tables
  const { rewardId, claimedAt, redeemedAt, redemptionCode } = userRewards
  return reader
    .select({ rewardId, claimedAt, redeemedAt, redemptionCode })
    .from(userRewards)
    .where(eq(userRewards.userId, value('userId')))
})
