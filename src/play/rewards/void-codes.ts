/** An erasure of a fan invalidates their redemption codes, which they may have shown to others. */
import { and, eq, isNotNull, notLike, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'

/** Prefix of the text that replaces a code. No code has these characters, so a desk never accepts it. */
const VOID = 'void:'

/** Replaces a fan's codes. The rewards stay redeemed. */
export async function voidCodes(tx: Transaction, userId: string): Promise<void> {
  const { userRewards } = tx.tables
  const unique = sql`${VOID} || ${userRewards.userId} || ':' || ${userRewards.rewardId}`
  await tx.update(userRewards).set({ redemptionCode: unique }).where(hasCode(tx, userId))
}

export const countCodes = (reader: Reader, userId: string): Promise<number> =>
  countRows(reader, reader.tables.userRewards, hasCode(reader, userId))

function hasCode({ tables: { userRewards } }: Pick<Reader, 'tables'>, userId: string): SQL | undefined {
  const { redemptionCode } = userRewards
  return and(eq(userRewards.userId, userId), isNotNull(redemptionCode), notLike(redemptionCode, `${VOID}%`))
}

/** The code of a redemption; null if an erasure replaced it. */
export const validCode = (redemptionCode: string | null): string | null =>
  redemptionCode?.startsWith(VOID) ? null : redemptionCode
