import { isDeepStrictEqual } from 'node:util'
import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared, preparedRow } from '../../db/prepared.ts'
import type { MaybePromise, ResponseCache } from '../cache/response-cache.ts'
import { rewardsTag } from '../cache/tags.ts'
import { DomainError } from '../core/problems.ts'
import type { RewardRow } from './present.ts'

/** @throws DomainError `reward_not_found` */
export async function requireReward(reader: Reader, rewardId: string): Promise<RewardRow> {
  const [reward] = await selectReward(reader, rewardId)
  if (!reward) throw new DomainError('reward_not_found')
  return reward
}

export const selectReward = prepared((reader: Reader, rewardId: string) => {
  const { rewards } = reader.tables
  return reader.select().from(rewards).where(eq(rewards.id, rewardId))
})

/** The latest rows of each cache. */
const lastRows = new WeakMap<ResponseCache, Map<string, RewardRow>>()

/**
 * Every reward whose flag is on, cheapest first, available now or not, from the response cache. An unchanged row stays the
 * same object, so that its rendered JSON can be reused (`render.ts`): each claim changes one row only.
 */
export function getCatalogue(reader: Reader, cache: ResponseCache): MaybePromise<RewardRow[]> {
  return cache.get('rewards', async () => {
    const before = lastRows.get(cache)
    const rows = (await selectFlagged(reader)).map(row => {
      const last = before?.get(row.id)
      return last && isDeepStrictEqual(last, row) ? last : row
    })
    lastRows.set(cache, new Map(rows.map(row => [row.id, row])))
    return { value: rows, tags: [rewardsTag] }
  })
}

const selectFlagged = prepared((reader: Reader) => {
  const { rewards } = reader.tables
  return reader
    .select()
    .from(rewards)
    .where(eq(rewards.active, true))
    .orderBy(asc(rewards.pointsRequired), asc(rewards.id))
})

/** A fan's claim of a reward; undefined when they have not claimed it. */
export const findUserReward = preparedRow((reader: Reader, userId: string, rewardId: string) => {
  const { userRewards } = reader.tables
  return reader
    .select()
    .from(userRewards)
    .where(and(eq(userRewards.userId, userId), eq(userRewards.rewardId, rewardId)))
})
