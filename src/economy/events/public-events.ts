/** The newest public events of many fans: what followers may be shown. */
import { getTableColumns, sql, type WithSubquery } from 'drizzle-orm'
import { firstOfEach } from '../../../db/first-of-each.ts'
import type { Reader } from '../../../db/index.ts'
import { isPublicEvent } from '../../../db/schema/economy/events.ts'

/** The place of an event among those of all fans. */
export interface EventPosition {
  recordedAt: Date
  userId: string
  sequence: number
}

const OLDEST = new Date(0)
/** After every event. */
export const NEWEST: EventPosition = {
  recordedAt: new Date('9999-12-31T00:00:00.000Z'),
  userId: '',
  sequence: 0,
}

/**
 * For WITH, named `newest`: the newest `limit` public events before a position, of fans whose ids are in the column `user_id` of
 * `fans`, which is in WITH as well. Only the fans with the newest events can have a row on the page: of each fan one entry of the
 * index is read, and then those of at most `limit` fans, as far back as the last of these entries.
 */
export function newestPublicEvents(
  reader: Pick<Reader, 'tables' | '$with'>,
  fans: WithSubquery,
  limit: number,
  before: EventPosition,
) {
  const { events } = reader.tables
  const { recordedAt, userId, sequence } = events
  const isBefore = sql`${isPublicEvent(events)} and ${recordedAt} <= ${before.recordedAt}
    and (${recordedAt}, ${userId}, ${sequence}) < (${before.recordedAt}, ${before.userId}, ${before.sequence})`
  const order = sql`${recordedAt} desc, ${sequence} desc`
  const latest = sql`select fan.user_id, (select ${recordedAt} from ${events} where ${userId} = fan.user_id and ${isBefore}
    order by ${order} limit 1) as latest_at from ${fans} as fan`
  const oldest = sql`coalesce((select latest_at from latest order by latest_at desc limit 1 offset ${limit} - 1), ${sql.param(OLDEST, recordedAt)})`
  const ofEach = firstOfEach(sql`candidates`, events, {
    condition: sql`${userId} = candidates.user_id and ${isBefore} and ${recordedAt} >= candidates.since`,
    order,
    limit,
  })
  return reader.$with('newest', getTableColumns(events)).as(sql`
    with latest as materialized (${latest}),
    candidates as materialized (select latest.user_id, ${oldest} as since from latest where latest.latest_at >= ${oldest})
    select ${events}.* from ${ofEach}
    order by ${recordedAt} desc, ${userId} desc, ${sequence} desc limit ${limit}`)
}
