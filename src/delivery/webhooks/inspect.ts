/** What operators ask about endpoints and deliveries. */
import { and, asc, count, desc, eq, inArray, isNotNull, min, type SQL, sql } from 'drizzle-orm'
import type { Database, Reader, Tables } from '../../../db/index.ts'
import { countAwaiting } from '../../economy/events/distribute.ts'
import { isPending, isUndelivered } from './deliveries.ts'
import { listEndpoints } from './endpoints.ts'
import { matchesType, parseTypes } from './types.ts'

export type DeliveryRow = Tables['webhookDeliveries']['$inferSelect']

export interface Backlog {
  pending: number
  /** Time of the oldest event that is not delivered. */
  since: Date
}

/**
 * By endpoint, including events that are not distributed yet. An endpoint that has received everything has no
 * entry.
 */
export async function readBacklogs(reader: Reader): Promise<Map<string, Backlog>> {
  const { webhookDeliveries } = reader.tables
  const { endpointId, createdAt } = webhookDeliveries
  const rows = await reader
    .select({ endpointId, pending: count(), since: min(createdAt) })
    .from(webhookDeliveries)
    .where(isPending(reader))
    .groupBy(endpointId)
  const awaiting = await countAwaiting(reader)
  const backlogs = new Map<string, Backlog>()
  for (const { id, types } of await listEndpoints(reader)) {
    const patterns = parseTypes(types)
    const parts = [
      ...rows.filter(row => row.endpointId === id),
      ...awaiting.filter(({ type }) => type !== null && matchesType(patterns, type)),
    ].flatMap(({ pending, since }) => (since ? [{ pending, since: since.getTime() }] : []))
    if (parts.length === 0) continue
    const since = new Date(Math.min(...parts.map(part => part.since)))
    backlogs.set(id, { pending: parts.reduce((sum, part) => sum + part.pending, 0), since })
  }
  return backlogs
}

/**
 * Limits for reads, so that a long backlog does not slow down the database. An age needs the rows, a count
 * only the index.
 */
const MAX_COUNTED = 10_000
const MAX_DATED = 1_000

export interface EndpointBacklog {
  id: string
  disabledAt: Date | null
  /** At most 10000. */
  pending: number
  /** Time of the oldest event among 1000 that are not delivered; null if there is none. */
  since: Date | null
}

/** The backlog of each endpoint, for metrics. */
export async function readEndpointBacklogs(reader: Reader): Promise<EndpointBacklog[]> {
  const { webhookEndpoints, webhookDeliveries } = reader.tables
  const { id, disabledAt } = webhookEndpoints
  const ofEndpoint = sql`from ${webhookDeliveries} d
    where d.endpoint_id = webhook_endpoints.id and d.state = 'pending'`
  const counted = sql`select count(*) from (select 1 ${ofEndpoint} limit ${MAX_COUNTED}) as pending`
  const oldest = sql`select min(created_at) from (select d.created_at ${ofEndpoint} limit ${MAX_DATED}) as pending`
  return reader
    .select({
      id,
      disabledAt,
      pending: sql<number>`(${counted})`.mapWith(Number),
      since: sql<Date | null>`(${oldest})`.mapWith(webhookDeliveries.createdAt),
    })
    .from(webhookEndpoints)
}

/** Newest first. `failed`: deliveries with a failed attempt that are not delivered. */
export async function listDeliveries(
  reader: Reader,
  { endpointId, failed = false, limit }: { endpointId?: string | undefined; failed?: boolean; limit: number },
): Promise<(DeliveryRow & { nextAttemptAt: Date | null })[]> {
  const { webhookDeliveries, webhookLanes } = reader.tables
  const conditions: (SQL | undefined)[] = [
    endpointId === undefined ? undefined : eq(webhookDeliveries.endpointId, endpointId),
    failed ? isUndelivered(reader) : undefined,
    failed ? isNotNull(webhookDeliveries.attemptedAt) : undefined,
  ]
  const rows = await reader
    .select({ delivery: webhookDeliveries, lane: webhookLanes })
    .from(webhookDeliveries)
    .leftJoin(
      webhookLanes,
      and(
        eq(webhookLanes.endpointId, webhookDeliveries.endpointId),
        eq(webhookLanes.userId, webhookDeliveries.userId),
      ),
    )
    .where(and(...conditions))
    .orderBy(
      desc(webhookDeliveries.createdAt),
      asc(webhookDeliveries.endpointId),
      asc(webhookDeliveries.userId),
      desc(webhookDeliveries.sequence),
    )
    .limit(limit)
  return rows.map(({ delivery, lane }) => {
    const nextAttemptAt = delivery.state === 'pending' ? (lane?.nextAttemptAt ?? null) : null
    return { ...delivery, nextAttemptAt }
  })
}

/** For `/readyz`, which anyone can read: how many endpoints failed until they were disabled. `webhooks list` names them. */
export async function readNotices({ db: { read } }: { db: Database }): Promise<{ webhooks?: string }> {
  const { webhookEndpoints } = read.tables
  const [broken] = await read
    .select({ count: count() })
    .from(webhookEndpoints)
    .where(inArray(webhookEndpoints.disabledReason, ['gone', 'failing']))
  return broken && broken.count > 0 ? { webhooks: `disabled: ${broken.count}` } : {}
}
