/** The rewards that can be had now, with what the caller has done and still needs. */
import { asc, eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import type { Caller } from '../caller.ts'
import { findUser } from '../identity/users.ts'
import { readBalance } from '../points/ledger.ts'
import { activeAt } from '../window.ts'
import { presentReward } from './present.ts'

/** Cheapest first. A fan without a record has no points and has claimed nothing. */
export async function listRewards(reader: Reader, caller: Caller) {
  const { rewards, userRewards } = reader.tables
  const now = reader.now()
  const user = await findUser(reader, caller)
  const { balance } = await readBalance(reader, user?.id)
  const active = await reader
    .select()
    .from(rewards)
    .where(activeAt(rewards, now))
    .orderBy(asc(rewards.pointsRequired), asc(rewards.id))
  const own = user ? await reader.select().from(userRewards).where(eq(userRewards.userId, user.id)) : []
  const ownByReward = new Map(own.map(row => [row.rewardId, row]))
  return {
    points: balance,
    rewards: active.map(row => presentReward(row, ownByReward.get(row.id), balance, now)),
  }
}
