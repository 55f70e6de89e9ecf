/**
 * Lanes: the pending deliveries of one fan, or of one match, to one endpoint. `userId` is then `match:ID`. A
 * lane exists while it has pending deliveries. Code that writes several lanes of an endpoint locks the
 * endpoint first.
 */
import {
  and,
  asc,
  type Column,
  count,
  eq,
  exists,
  gt,
  isNull,
  lte,
  min,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { rowsByKeys } from '../../../db/keys.ts'
import { isListed, listed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
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

/**
 * Leases up to `max` due lanes, beginning with those that have been due longest, and returns them in this
 * order. The endpoint must be locked.
 */
export async function leaseDueLanes(tx: Transaction, { endpointId, now, leaseEndsAt, max }: Leasing) {
  const expired = await lockExpired(tx, endpointId, now, max)
  const rest = max - expired.length
  const due = rest > 0 ? [...expired, ...(await lockUnleased(tx, endpointId, now, rest))] : expired
  const leased = due.map(lane => ({ ...lane, leaseEndsAt }))
  await insertRows(tx, tx.tables.webhookLanes, leased, { set: ['leaseEndsAt'] })
  return leased
}

/** Lanes whose lease has ended: the process that held it has died. */
const lockExpired = prepared((tx: Transaction, endpointId: string, now: Date, max: number) => {
  const { webhookLanes } = tx.tables
  const expired = tx
    .select()
    .from(webhookLanes)
    .where(and(eq(webhookLanes.endpointId, endpointId), isExpired(tx, now)))
    .orderBy(asc(webhookLanes.leaseEndsAt))
    .limit(max)
  return locksForUpdate(tx, expired)
})

const lockUnleased = prepared((tx: Transaction, endpointId: string, now: Date, max: number) => {
  const { webhookLanes } = tx.tables
  const due = tx
    .select()
    .from(webhookLanes)
    .where(and(eq(webhookLanes.endpointId, endpointId), isUnleasedAndDue(tx, now)))
    .orderBy(asc(webhookLanes.nextAttemptAt))
    .limit(max)
  return locksForUpdate(tx, due)
})

/** The lanes of these fans that have nothing pending. The endpoint must be locked. */
export const deleteEmptyLanes = (tx: Transaction, endpointId: string, userIds: string[]) =>
  deleteLanes(tx, endpointId, toList(userIds), toList([]))

/** The delivery of a lane that is no longer pending. */
export type LaneEnd = Pick<Tables['webhookDeliveries']['$inferSelect'], 'userId' | 'sequence'>

/**
 * Deletes the lanes that have no other pending deliveries than these, whose rows are written later. Returns
 * the fans of the deleted lanes.
 */
export async function deleteEndedLanes(tx: Transaction, endpointId: string, ends: LaneEnd[]) {
  if (ends.length === 0) return []
  const userIds = toList(ends.map(({ userId }) => userId))
  const names = toList(ends.map(({ userId, sequence }) => `${userId} ${sequence}`))
  return (await deleteLanes(tx, endpointId, userIds, names)).map(({ userId }) => userId)
}

const deleteLanes = prepared((tx: Transaction, endpointId: string, userIds: string, ended: string) => {
  const { webhookLanes, webhookDeliveries } = tx.tables
  // A value with a look-up for each lane: for `not exists`, PostgreSQL would read all pending deliveries.
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

const isExpired = ({ tables: { webhookLanes } }: Pick<Transaction, 'tables'>, now: Date) =>
  lte(webhookLanes.leaseEndsAt, now)

const isUnleasedAndDue = ({ tables: { webhookLanes } }: Pick<Transaction, 'tables'>, now: Date) =>
  and(isNull(webhookLanes.leaseEndsAt), lte(webhookLanes.nextAttemptAt, now))

/** The condition that an endpoint has a due lane: one index each for lanes with and without a lease. */
export function hasDueLane(reader: Pick<Reader, 'tables' | 'select'>, endpointId: Column, now: Date) {
  const { webhookLanes } = reader.tables
  const some = (isDue: SQL | undefined) =>
    exists(
      reader
        .select({ one: sql`1` })
        .from(webhookLanes)
        .where(and(eq(webhookLanes.endpointId, endpointId), isDue)),
    )
  return or(some(isUnleasedAndDue(reader, now)), some(isExpired(reader, now)))
}
