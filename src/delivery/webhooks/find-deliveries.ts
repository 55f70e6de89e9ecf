/** Deliveries for staff: pages of them, and one with all of its attempts. */
import { and, desc, eq, lte, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { isUndelivered } from './deliveries.ts'
import type { DeliveryRow } from './inspect.ts'
import type { DeliveryKey } from './resend.ts'
import type { DeliveryState } from './types.ts'

export interface DeliveryFilter {
  endpointId?: string | undefined
  state?: DeliveryState | undefined
  type?: string | undefined
}

/** A pending delivery has the time of the next attempt. */
export interface FoundDelivery extends DeliveryRow {
  nextAttemptAt: Date | null
}

/** The newest event first. */
export async function pageDeliveries(
  reader: Reader,
  cursors: Cursors,
  filter: DeliveryFilter,
  { limit, cursor }: Page,
): Promise<{ deliveries: FoundDelivery[]; nextCursor: string | null }> {
  const { webhookDeliveries: deliveries } = reader.tables
  const { createdAt, endpointId, userId, sequence } = deliveries
  const list = `webhook deliveries ${JSON.stringify([filter.endpointId, filter.state, filter.type])}`
  const after = cursors.decodeTimed(list, cursor)
  const [endpoint = '', lane = '', position = '0'] = after?.id.split(' ') ?? []
  const isAfter =
    after &&
    and(
      lte(createdAt, after.at),
      sql`(${createdAt}, ${endpointId}, ${userId}, ${sequence})
        < (${sql.param(after.at, createdAt)}, ${endpoint}, ${lane}, ${Number(position)})`,
    )
  const rows = await selectWithLanes(reader, and(...conditionsOf(reader, filter), isAfter))
    .orderBy(desc(createdAt), desc(endpointId), desc(userId), desc(sequence))
    .limit(limit + 1)
  const found = rows.map(withNextAttempt)
  const { shown, nextCursor } = cutPage(found, limit, last =>
    cursors.encodeTimed(list, {
      at: last.createdAt,
      id: `${last.endpointId} ${last.userId} ${last.sequence}`,
    }),
  )
  return { deliveries: shown, nextCursor }
}

function conditionsOf({ tables }: Pick<Reader, 'tables'>, { endpointId, state, type }: DeliveryFilter) {
  const { webhookDeliveries: deliveries } = tables
  return [
    endpointId === undefined ? undefined : eq(deliveries.endpointId, endpointId),
    state === undefined || state === 'delivered' ? undefined : isUndelivered({ tables }),
    state === undefined ? undefined : eq(deliveries.state, state),
    type === undefined ? undefined : eq(deliveries.type, type),
  ]
}

export async function findDelivery(reader: Reader, key: DeliveryKey): Promise<FoundDelivery | undefined> {
  const { webhookDeliveries: deliveries } = reader.tables
  const [row] = await selectWithLanes(
    reader,
    and(
      eq(deliveries.endpointId, key.endpointId),
      eq(deliveries.userId, key.userId),
      eq(deliveries.sequence, key.sequence),
    ),
  )
  return row && withNextAttempt(row)
}

function selectWithLanes(reader: Reader, condition: SQL | undefined) {
  const { webhookDeliveries: deliveries, webhookLanes: lanes } = reader.tables
  return reader
    .select({ delivery: deliveries, nextAttemptAt: lanes.nextAttemptAt })
    .from(deliveries)
    .leftJoin(lanes, and(eq(lanes.endpointId, deliveries.endpointId), eq(lanes.userId, deliveries.userId)))
    .where(condition)
}

const withNextAttempt = ({
  delivery,
  nextAttemptAt,
}: {
  delivery: DeliveryRow
  nextAttemptAt: Date | null
}) => ({
  ...delivery,
  nextAttemptAt: delivery.state === 'pending' ? nextAttemptAt : null,
})
