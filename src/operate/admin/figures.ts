/** Totals of the database, for the home page in development. */
import { count, isNotNull, sum } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

export interface Figures {
  /** Fans with a record. */
  fans: number
  /** Points in their accounts. */
  points: number
  /** Events, voided ones included. */
  events: number
  /** Rewards that were redeemed. */
  redeemed: number
}

/** Reads whole tables: not for production. */
export async function readFigures(reader: Reader): Promise<Figures> {
  const { users, pointsAccounts, events, userRewards } = reader.tables
  const [fans] = await reader.select({ value: count() }).from(users)
  const [points] = await reader.select({ value: sum(pointsAccounts.balance) }).from(pointsAccounts)
  const [recorded] = await reader.select({ value: count() }).from(events)
  const [redeemed] = await reader
    .select({ value: count() })
    .from(userRewards)
    .where(isNotNull(userRewards.redeemedAt))
  return {
    fans: fans?.value ?? 0,
    points: Number(points?.value ?? 0),
    events: recorded?.value ?? 0,
    redeemed: redeemed?.value ?? 0,
  }
}
