/**
 * Lanes: the pending deliveries of one fan, or of one match, to one endpoint. `userId` is then `match:ID`. A lane exists while
 * there are any. What writes several lanes of an endpoint locks the endpoint first.
 */
import { and, asc, count, eq, gt, inArray, isNull, lte, min, or, type SQL, sql } from 'drizzle-orm'
import type { Tables, Transaction } from '../../../db/index.ts'
import { rowsByKeys } from '../../../db/keys.ts'
import { isListed, listed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { isPending } from './deliveries.ts'

/** The lanes of these fans that exist. */
export const findLanes = rowsByKeys('webhookLanes', ['endpointId', 'userId'])

/** The number of deliveries of an endpoint that are claimed, in all processes. */
export const countLeases = prepared((tx: Transaction, endpointId: string, now: Date) => {
  const { webhookLanes } = tx.tables
  return tx
    .select({ leases: count() })
    .from(webhookLanes)
    .where(and(eq(webhookLanes.endpointId, endpointId), gt(webhookLanes.leaseEndsAt, now)))
})

interface Leasing {
  endpointId: string
  now: Date
  leaseEndsAt: Date
  max: number
}

/** Leases up to `max` due lanes, those that are due longest, and returns them in any order. The endpoint must be locked. */
export const leaseDueLanes = prepared((tx: Transaction, { endpointId, now, leaseEndsAt, max }: Leasing) => {
  const { webhookLanes } = tx.tables
  const isOfEndpoint = eq(webhookLanes.endpointId, endpointId)
  const due = tx
    .select({ userId: webhookLanes.userId })
    .from(webhookLanes)
    .where(and(isOfEndpoint, isDueAt(tx, now)))
    .orderBy(asc(webhookLanes.nextAttemptAt))
    .limit(max)
  return tx
    .update(webhookLanes)
    .set({ leaseEndsAt })
    .where(and(isOfEndpoint, inArray(webhookLanes.userId, due)))
    .returning({ userId: webhookLanes.userId, nextAttemptAt: webhookLanes.nextAttemptAt })
})

/** The lanes of these fans that have nothing pending. The endpoint must be locked. */
export const deleteEmptyLanes = (tx: Transaction, endpointId: string, userIds: string[]) =>
  deleteLanes(tx, endpointId, toList(userIds), toList([]))

/** The delivery of a lane that is no longer pending. */
export type LaneEnd = Pick<Tables['webhookDeliveries']['$inferSelect'], 'userId' | 'sequence'>

/** The lanes that have nothing pending but these, whose rows are written after them. Returns the fans of those deleted. */
export async function deleteEndedLanes(tx: Transaction, endpointId: string, ends: LaneEnd[]) {
  if (ends.length === 0) return []
  const userIds = toList(ends.map(({ userId }) => userId))
  const names = toList(ends.map(({ userId, sequence }) => `${userId} ${sequence}`))
  return (await deleteLanes(tx, endpointId, userIds, names)).map(({ userId }) => userId)
}

const deleteLanes = prepared((tx: Transaction, endpointId: string, userIds: string, ended: string) => {
  const { webhookLanes, webhookDeliveries } = tx.tables
  // A value, not `not exists`, for which PostgreSQL reads all that is pending: a look-up for each lane.
  const pending = tx
    .select({ oldest: min(webhookDeliveries.sequence) })
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.endpointId, endpointId),
        eq(webhookDeliveries.userId, webhookLanes.userId),
        isPending(tx),
        sql`${webhookDeliveries.userId} || ' ' || ${webhookDeliveries.sequence} not in ${listed(tx, ended)}`,
      ),
    )
  return tx
    .delete(webhookLanes)
    .where(
      and(
        eq(webhookLanes.endpointId, endpointId),
        isListed(tx, webhookLanes.userId, userIds),
        sql`(${pending}) is null`,
      ),
    )
    .returning({ userId: webhookLanes.userId })
})

export function isDueAt({ tables }: Pick<Transaction, 'tables'>, now: Date): SQL | undefined {
  const { nextAttemptAt, leaseEndsAt } = tables.webhookLanes
  return and(lte(nextAttemptAt, now), or(isNull(leaseEndsAt), lte(leaseEndsAt, now)))
}
