import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import type { MaybePromise, ResponseCache } from '../../platform/cache/response-cache.ts'
import { rewardsTag } from '../../platform/cache/tags.ts'
import { listUnmet } from '../eligibility/eligibility.ts'
import { type RequiresCode, statedRequires } from '../eligibility/requires.ts'
import type { RewardRow } from './present.ts'
import { rewardProblems } from './problems.ts'

/** @throws DomainError `reward_not_found` */
export async function requireReward(reader: Reader, rewardId: string): Promise<RewardRow> {
  const reward = await findReward(reader, rewardId)
  if (!reward) throw new DomainError(rewardProblems.reward_not_found)
  return reward
}

export const findReward = preparedRow((reader: Reader, rewardId: string) => {
  const { rewards } = reader.tables
  return reader.select().from(rewards).where(eq(rewards.id, rewardId))
})

/** Every active reward, cheapest first, whether or not it is available now, from the response cache. */
export const getCatalogue = (reader: Reader, cache: ResponseCache): MaybePromise<RewardRow[]> =>
  cache.get('rewards', async () => ({ value: await selectFlagged(reader), tags: [rewardsTag] }))

const selectFlagged = prepared((reader: Reader) => {
  const { rewards } = reader.tables
  return reader
    .select()
    .from(rewards)
    .where(eq(rewards.active, true))
    .orderBy(asc(rewards.pointsRequired), asc(rewards.id))
})

/** What a fan lacks of `requires`, by reward; no statement if no reward requires anything. Asks chains: not for units of work. */
export async function readUnmet(
  read: Reader,
  viewer: Viewer,
  rewards: RewardRow[],
): Promise<Map<string, RequiresCode[]>> {
  const asked = rewards.flatMap(reward => {
    const requires = statedRequires(reward)
    return requires === null ? [] : [{ id: reward.id, requires }]
  })
  if (asked.length === 0) return new Map()
  const unmet = await listUnmet(
    read,
    viewer,
    asked.map(({ requires }) => requires),
  )
  return new Map(asked.map(({ id }, index) => [id, unmet[index] ?? []]))
}

/** A fan's claim of a reward; undefined when they have not claimed it. */
export const findUserReward = preparedRow((reader: Reader, userId: string, rewardId: string) => {
  const { userRewards } = reader.tables
  return reader
    .select()
    .from(userRewards)
    .where(and(eq(userRewards.userId, userId), eq(userRewards.rewardId, rewardId)))
})
