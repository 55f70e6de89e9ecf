/** Counts of a fan's rows, over indexes. */

import { and, count, eq, gt, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { preparedRow } from '../../../../db/prepared.ts'
import type { AnyTable } from '../../../../db/schema/shape.ts'
import { newestOf } from '../../../economy/events/sequences.ts'
import { packCounts } from '../../../play/packs/summary.ts'

export interface CountedFan {
  fanId: string
  provider: string
  subject: string
  now: Date
}

/** One statement. */
export const countOf = preparedRow((reader: Reader, { fanId, provider, subject, now }: CountedFan) => {
  const { users, events, userRewards, userItems, questProgress, orders, trades } = reader.tables
  const { fanRelations, nativeSessions, reports, appeals } = reader.tables
  const counted = (table: AnyTable, condition: SQL | undefined) => {
    const rows = reader.select({ count: count() }).from(table).where(condition)
    return sql<number>`${rows}`.mapWith(Number)
  }
  const isOpen = and(eq(trades.status, 'open'), gt(trades.expiresAt, now))
  const isDevice = and(eq(nativeSessions.provider, provider), eq(nativeSessions.subject, subject))
  const { sealed, opened } = packCounts(reader, fanId)
  const newest = sql`(${newestOf(events, sql`${fanId}`)})`
  return reader
    .select({
      // Sequences have no gaps.
      events: sql<number>`coalesce(${newest}, 0)`.mapWith(Number),
      rewardsClaimed: counted(userRewards, eq(userRewards.userId, fanId)),
      rewardsRedeemed: counted(
        userRewards,
        and(eq(userRewards.userId, fanId), isNotNull(userRewards.redeemedAt)),
      ),
      packsSealed: sealed,
      packsOpened: opened,
      itemsKept: counted(userItems, and(eq(userItems.userId, fanId), isNull(userItems.ownerId))),
      itemsReceived: counted(userItems, eq(userItems.ownerId, fanId)),
      questsCompleted: counted(
        questProgress,
        and(eq(questProgress.userId, fanId), isNotNull(questProgress.completedAt)),
      ),
      orders: counted(orders, eq(orders.userId, fanId)),
      tradesFrom: counted(trades, and(eq(trades.fromId, fanId), isOpen)),
      tradesTo: counted(trades, and(eq(trades.toId, fanId), isOpen)),
      following: counted(
        fanRelations,
        and(eq(fanRelations.fanId, fanId), isNotNull(fanRelations.followedAt)),
      ),
      followers: counted(
        fanRelations,
        and(eq(fanRelations.otherId, fanId), isNotNull(fanRelations.followedAt)),
      ),
      devices: counted(
        nativeSessions,
        and(isDevice, isNull(nativeSessions.revokedAt), gt(nativeSessions.expiresAt, now)),
      ),
      openReports: counted(reports, and(eq(reports.fanId, fanId), isNull(reports.resolvedAt))),
      openAppeals: counted(appeals, and(eq(appeals.fanId, fanId), isNull(appeals.decidedAt))),
    })
    .from(users)
    .where(eq(users.id, fanId))
})

/** Whether a refund of money is due to the fan. */
export const owesRefund = preparedRow((reader: Reader, fanId: string) => {
  const { users, orders, packPurchases, topUps } = reader.tables
  const due = (table: typeof orders | typeof packPurchases | typeof topUps) =>
    sql`exists (select 1 from ${table} where ${table.userId} = ${fanId} and ${table.status} = 'refund_due')`
  return reader
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, fanId), or(due(orders), due(packPurchases), due(topUps))))
})
