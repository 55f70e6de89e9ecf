/** Replays and deletes deliveries. They are kept for 30 days after their event. */
import { and, asc, eq, gt, gte, inArray, lt } from 'drizzle-orm'
import { deleteInBatches } from '../../../db/batches.ts'
import { insertRows } from '../../../db/bulk.ts'
import type { Database, Reader, Tables, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { countRows } from '../../../db/pages.ts'
import { findEndpoint, lockEndpoints } from './endpoints.ts'
import { RETENTION_MS } from './schedule.ts'

/** Fans per unit of work. */
const PAGE = 50

const isSince = ({ tables }: Pick<Reader, 'tables'>, endpointId: string, since: Date) => {
  const { webhookDeliveries } = tables
  return and(eq(webhookDeliveries.endpointId, endpointId), gte(webhookDeliveries.createdAt, since))
}

/** How many deliveries `replayDeliveries` would make pending. */
export const countReplayed = (reader: Reader, endpointId: string, since: Date): Promise<number> =>
  countRows(reader, reader.tables.webhookDeliveries, isSince(reader, endpointId, since))

interface ReplayOptions {
  /** Deliveries so far. May reject to stop: what is pending by then stays so. */
  onProgress?: (replayed: number) => Promise<void>
}

/**
 * Makes the deliveries of events since a time pending again, in order for each fan. Returns their number.
 * Events that a fan gets meanwhile come later, since their sequence is greater.
 */
export async function replayDeliveries(
  db: Database,
  endpointId: string,
  since: Date,
  { onProgress }: ReplayOptions = {},
): Promise<number> {
  const { webhookDeliveries } = db.tables
  const { userId } = webhookDeliveries
  const isReplayed = isSince(db, endpointId, since)
  let replayed = 0
  let after = ''
  for (;;) {
    const fans = await db.read
      .selectDistinct({ userId })
      .from(webhookDeliveries)
      .where(and(isReplayed, gt(userId, after)))
      .orderBy(asc(userId))
      .limit(PAGE)
    const userIds = fans.map(fan => fan.userId)
    if (userIds.length === 0) return replayed
    replayed += await db.write(tx => replayFans(tx, userIds))
    await onProgress?.(replayed)
    after = userIds.at(-1) ?? ''
  }

  async function replayFans(tx: Transaction, userIds: string[]): Promise<number> {
    const now = tx.now()
    const endpoints = await lockEndpoints(tx, endpointId)
    const rows = await tx
      .update(webhookDeliveries)
      .set({ state: 'pending', attempts: 0 })
      .where(and(isReplayed, inArray(userId, userIds)))
      .returning({ userId })
    const lanes = userIds.map(fan => ({ endpointId, userId: fan, nextAttemptAt: now }))
    await insertRows(tx, tx.tables.webhookLanes, lanes, { set: ['nextAttemptAt'] })
    await tx.spine.webhooks.claimDue?.(tx, endpoints)
    return rows.length
  }
}

/** Deletes what has been kept long enough, and what was added while its endpoint was being removed. */
export async function sweepDeliveries(db: Database): Promise<void> {
  const { webhookDeliveries, webhookLanes } = db.tables
  await deleteInBatches(db, webhookDeliveries, tx =>
    lt(webhookDeliveries.createdAt, new Date(tx.now().getTime() - RETENTION_MS)),
  )
  for (const table of [webhookDeliveries, webhookLanes])
    for await (const { endpointId } of eachEndpointIn(db.read, table))
      if (!(await findEndpoint(db.read, endpointId)))
        await deleteInBatches(db, table, () => eq(table.endpointId, endpointId))
}

type OfEndpoint = Tables['webhookDeliveries'] | Tables['webhookLanes']

/** The endpoints in a table, each by an index look-up: a condition on every row would read the whole table. */
const eachEndpointIn = (reader: Reader, table: OfEndpoint) =>
  eachRow(
    { endpointId: table.endpointId },
    after => reader.select({ endpointId: table.endpointId }).from(table).where(after),
    { size: 1 },
  )

/** Deletes the deliveries of an erased fan. What an attempt has read may still arrive. */
export async function deleteDeliveriesOf(tx: Transaction, userId: string): Promise<void> {
  const { webhookDeliveries, webhookEndpoints, webhookLanes } = tx.tables
  const endpoints = tx.select({ id: webhookEndpoints.id }).from(webhookEndpoints)
  for (const table of [webhookLanes, webhookDeliveries]) {
    await tx.delete(table).where(and(inArray(table.endpointId, endpoints), eq(table.userId, userId)))
  }
}
