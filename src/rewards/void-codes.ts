/** For the erasure of a fan: invalidates their redemption codes, which they may have shown to others. */
import { and, eq, isNotNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { mintRedemptionCode } from './redemption-code.ts'

/** Replaces a fan's codes by random ones. The rewards stay redeemed. Returns the number of codes. */
export async function voidCodes(tx: Transaction, userId: string): Promise<number> {
  const { userRewards } = tx.tables
  const redeemed = await findRedeemed(tx, userId)
  for (const { rewardId } of redeemed) {
    await tx
      .update(userRewards)
      .set({ redemptionCode: mintRedemptionCode(tx.randomBytes(10)) })
      .where(and(eq(userRewards.userId, userId), eq(userRewards.rewardId, rewardId)))
  }
  return redeemed.length
}

export const countCodes = async (reader: Reader, userId: string) =>
  (await findRedeemed(reader, userId)).length

function findRedeemed(reader: Reader, userId: string) {
  const { userRewards } = reader.tables
  return reader
    .select({ rewardId: userRewards.rewardId })
    .from(userRewards)
    .where(and(eq(userRewards.userId, userId), isNotNull(userRewards.redemptionCode)))
}
