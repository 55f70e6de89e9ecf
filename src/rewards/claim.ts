/** Claiming: a threshold of points, which are not spent; one claim a fan; never more than the stock. */
import { and, eq, gt, sql } from 'drizzle-orm'
import type { Transaction } from '../../db/index.ts'
import { preparedWrite } from '../../db/prepared.ts'
import type { Caller } from '../caller.ts'
import { ensureUserId } from '../identity/users.ts'
import { readBalance } from '../points/ledger.ts'
import { DomainError } from '../problems.ts'
import { rewardsTopic } from '../views/topics.ts'
import { isActive } from '../window.ts'
import { requireReward } from './catalogue.ts'
import { presentReward, type RewardRow, type UserRewardRow } from './present.ts'

export interface RewardReference {
  rewardId: string
}

/** @throws DomainError `reward_not_found`, `reward_inactive`, `insufficient_points`, `already_claimed`, `out_of_stock` */
export async function claimReward(tx: Transaction, caller: Caller, { rewardId }: RewardReference) {
  const now = tx.now()
  const reward = await requireReward(tx, rewardId)
  if (!isActive(reward, now)) throw new DomainError('reward_inactive')

  const userId = await ensureUserId(tx, caller)
  const { balance } = await readBalance(tx, userId)
  const { pointsRequired } = reward
  if (balance < pointsRequired) {
    const missingPoints = pointsRequired - balance
    throw new DomainError('insufficient_points', { pointsRequired, points: balance, missingPoints })
  }

  // The primary key decides between two claims at once.
  const [claim] = await insertClaim(tx, { userId, rewardId, claimedAt: now })
  if (!claim) throw new DomainError('already_claimed')

  const stockRemaining = await takeFromStock(tx, reward)
  const own = { rewardId, ...claim, redeemedAt: null, redemptionCode: null }
  return { reward: presentReward({ ...reward, stockRemaining }, own, balance, now) }
}

interface Claim extends Record<string, unknown> {
  userId: string
  rewardId: string
  claimedAt: Date
}

const insertClaim = preparedWrite<Claim, Pick<UserRewardRow, 'claimedAt'>[]>((tx, value) => {
  const { userRewards } = tx.tables
  return tx
    .insert(userRewards)
    .values({ userId: value('userId'), rewardId: value('rewardId'), claimedAt: value('claimedAt') })
    .onConflictDoNothing()
    .returning({ claimedAt: userRewards.claimedAt })
})

type Stock = Pick<RewardRow, 'stockRemaining'>

const takeOne = preparedWrite<RewardReference & Record<string, unknown>, Stock[]>((tx, value) => {
  const { rewards } = tx.tables
  return tx
    .update(rewards)
    .set({ stockRemaining: sql`${rewards.stockRemaining} - 1` })
    .where(and(eq(rewards.id, value('rewardId')), gt(rewards.stockRemaining, 0)))
    .returning({ stockRemaining: rewards.stockRemaining })
})

/** One conditional statement: the last unit has one taker. @throws DomainError `out_of_stock` */
async function takeFromStock(tx: Transaction, reward: RewardRow): Promise<number | null> {
  if (reward.stockRemaining === null) return null
  const [left] = await takeOne(tx, { rewardId: reward.id })
  if (!left) throw new DomainError('out_of_stock')
  // Every list shows how many are left.
  tx.touch(rewardsTopic)
  return left.stockRemaining
}
