/**
 * Lanes: the pending deliveries of one fan to one endpoint. A lane exists while there are any. What writes several lanes of an
 * endpoint locks the endpoint first.
 */
import { and, asc, count, eq, gt, inArray, isNull, lte, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { isPending } from './deliveries.ts'

type Claimer = (tx: Transaction, endpointIds: string[]) => Promise<void>

/** By database. */
const claimers = new WeakMap<object, Claimer>()

/** Lets a dispatcher claim deliveries in the unit of work that makes them due. Returns a function that ends it. */
export function onDue({ identity }: Pick<Reader, 'identity'>, claimer: Claimer): () => void {
  claimers.set(identity, claimer)
  return () => void (claimers.get(identity) === claimer && claimers.delete(identity))
}

/** Without a dispatcher in this process, those of others find what is due by their poll. */
export const claimDue = async (tx: Transaction, endpointIds: string[]): Promise<void> =>
  claimers.get(tx.identity)?.(tx, endpointIds)

interface Leased {
  userId: string
  leaseEndsAt: Date
}

/** Ends leases, except those that ended before, and locks their lanes. Returns the fans whose leases it ended. */
export const endLeases = prepared((tx: Transaction, endpointId: string, leases: Leased[], now: Date) => {
  const { webhookLanes } = tx.tables
  // The whole key in each branch, so that each is a look-up.
  const isHeld = ({ userId, leaseEndsAt }: Leased) =>
    and(
      eq(webhookLanes.endpointId, endpointId),
      eq(webhookLanes.userId, userId),
      eq(webhookLanes.leaseEndsAt, leaseEndsAt),
    )
  return tx
    .update(webhookLanes)
    .set({ leaseEndsAt: null, nextAttemptAt: now })
    .where(or(...leases.map(isHeld)))
    .returning({ userId: webhookLanes.userId })
})

/** The number of attempts that may run at an endpoint. */
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

/** Leases up to `max` due lanes, those that are due longest first. The endpoint must be locked. */
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
    .returning({ userId: webhookLanes.userId })
})

/** The lanes must be locked. */
export const postponeLanes = prepared(
  (tx: Transaction, endpointId: string, userIds: string[], until: Date) => {
    const { webhookLanes } = tx.tables
    return tx
      .update(webhookLanes)
      .set({ nextAttemptAt: until })
      .where(and(eq(webhookLanes.endpointId, endpointId), inArray(webhookLanes.userId, userIds)))
  },
)

/** The lanes must be locked. */
export const deleteEmptyLanes = prepared((tx: Transaction, endpointId: string, userIds: string[]) => {
  const { webhookLanes, webhookDeliveries } = tx.tables
  const pending = tx
    .select({ one: sql`1` })
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.endpointId, endpointId),
        eq(webhookDeliveries.userId, webhookLanes.userId),
        isPending(tx),
      ),
    )
  return tx
    .delete(webhookLanes)
    .where(
      and(eq(webhookLanes.endpointId, endpointId), inArray(webhookLanes.userId, userIds), notExists(pending)),
    )
})

export function isDueAt({ tables }: Pick<Transaction, 'tables'>, now: Date): SQL | undefined {
  const { nextAttemptAt, leaseEndsAt } = tables.webhookLanes
  return and(lte(nextAttemptAt, now), or(isNull(leaseEndsAt), lte(leaseEndsAt, now)))
}
