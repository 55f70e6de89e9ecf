/** The rewards that are available now, each with its state for the caller. */
import { eq, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { isActive } from '../../club/catalogue/availability.ts'
import { balanceOf } from '../../economy/points/history.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import type { OwnReward } from './present.ts'
import { renderReward } from './render.ts'
import { getCatalogue, readUnmetOf } from './rewards.ts'

/** Returns a function that renders them as JSON, cheapest first. A fan without a record has no points and no claims. */
export async function renderRewards({ read, cache }: ReadSource, userId: string) {
  const now = read.now()
  const catalogue = await getCatalogue(read, cache)
  const rows = await selectOwn(read, userId)
  const own = new Map<string, OwnReward>()
  for (const row of rows) if (row.own) own.set(row.own.rewardId, row.own)
  const points = rows[0]?.points ?? 0
  const active = catalogue.filter(reward => isActive(reward, now))
  const unmet = await readUnmetOf(
    read,
    { userId },
    active.filter(({ id }) => !own.has(id)),
  )
  return () => {
    let rendered = ''
    for (const reward of active) {
      const facts = { own: own.get(reward.id), points, unmet: unmet.get(reward.id) }
      rendered += (rendered && ',') + renderReward(reward, facts, now)
    }
    return `{"points":${points},"rewards":[${rendered}]}`
  }
}

/** Rows of the fan's points, one for each claim; the claim is null for a fan without claims. */
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
