/** What metrics read of pushes: how many are due and wait, by the kind of their service. */
import { isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { kindOfService, SERVICE_KINDS, type ServiceKind } from './spine.ts'

/** Of a queue; more are not counted. */
const MAX_COUNTED = 10_000

interface PushBacklog {
  service: ServiceKind
  pending: number
  /** When the oldest was due; null without one. */
  since: Date | null
}

/** Without those that wait for the end of quiet hours, a repetition or a pause for which their service asked. */
export async function readPushBacklog(reader: Reader): Promise<PushBacklog[]> {
  const { pushServices, pushDeliveries: rows } = reader.tables
  const now = reader.now()
  // As the index: of one queue, the oldest first.
  const due = (columns: SQL, bulk: boolean) => sql`select ${columns} from ${rows}
    where ${rows.service} = ${pushServices.name} and ${rows.bulk} = ${sql.param(bulk, rows.bulk)}
    and ${rows.state} = 'pending' and ${rows.leaseEndsAt} is null and ${lte(rows.dueAt, now)}`
  const count = (bulk: boolean) =>
    sql`(select count(*) from (${due(sql`1`, bulk)} limit ${MAX_COUNTED}) as due)`.mapWith(Number)
  const oldest = (bulk: boolean) =>
    sql<Date | null>`(${due(sql`min(${rows.dueAt})`, bulk)})`.mapWith(rows.dueAt)
  const found = await reader
    .select({
      service: pushServices.name,
      single: count(false),
      singleSince: oldest(false),
      bulk: count(true),
      bulkSince: oldest(true),
    })
    .from(pushServices)
    .where(or(isNull(pushServices.pausedUntil), lte(pushServices.pausedUntil, now)))
  const byKind = Map.groupBy(found, ({ service }) => kindOfService(service))
  return SERVICE_KINDS.map(service => {
    const queues = byKind.get(service) ?? []
    const since = queues.flatMap(({ singleSince, bulkSince }) => [singleSince ?? [], bulkSince ?? []].flat())
    return {
      service,
      pending: queues.reduce((sum, { single, bulk }) => sum + single + bulk, 0),
      since: since.length === 0 ? null : new Date(Math.min(...since.map(at => at.getTime()))),
    }
  })
}
