/** The newest public events of many fans: what followers may be shown. */
import { getTableColumns, type SQL, sql, type WithSubquery } from 'drizzle-orm'
import { byName, firstOfEach } from '../../../db/first-of-each.ts'
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

interface Wanted {
  /** SQL: whether the events of a fan are shown. It is asked of few fans. */
  isShown: (userId: SQL) => SQL
  limit: number
  before: EventPosition
}

/**
 * A query for WITH, named `newest`: the newest `limit` public events before a position, of the fans in the
 * column `user_id` of `fans`, another query in WITH. Only fans with the newest events can be on the page. So
 * one index entry is read for each fan, and then the entries of at most `limit` fans, as far back as the last
 * of these entries.
 *
 * To find one entry, PostgreSQL reads all entries in the range from an index page. A sample of the fans with
 * enough events for a page limits the range (the feed of 1,000 fans: from 16 to 5 ms of CPU time).
 */
export function newestPublicEvents(
  reader: Pick<Reader, 'tables' | '$with'>,
  fans: WithSubquery,
  { isShown, limit, before }: Wanted,
) {
  const { events } = reader.tables
  const { recordedAt, userId, sequence } = events
  const shown = byName(events)
  const isBefore = sql`${isPublicEvent(events)} and ${recordedAt} <= ${before.recordedAt}
    and (${recordedAt}, ${userId}, ${sequence}) < (${before.recordedAt}, ${before.userId}, ${before.sequence})`
  const order = sql`${recordedAt} desc, ${sequence} desc`
  const latestOfEach = firstOfEach(sql`${fans}`, events, {
    condition: sql`${userId} = ${fans}.user_id and ${isBefore}`,
    order,
    limit: 1,
  })
  const latestSince = sql`select ${recordedAt} from ${events} where ${userId} = ${fans}.user_id and ${isBefore}
    and ${recordedAt} >= bound.since order by ${order} limit 1`
  const lastOfPage = (latest: SQL) =>
    sql`coalesce((select latest_at from ${latest} order by latest_at desc limit 1 offset ${limit} - 1), ${sql.param(OLDEST, recordedAt)})`
  // PostgreSQL sorts first, and checks only the first ones for whether they are shown.
  const latestShown = sql`(select user_id, latest_at from found where latest_at is not null order by latest_at desc) as latest
    where ${isShown(sql`latest.user_id`)}`
  const ofEach = firstOfEach(sql`candidates`, events, {
    condition: sql`${userId} = candidates.user_id and ${isBefore} and ${recordedAt} >= candidates.since`,
    order,
    limit,
  })
  return reader.$with('newest', getTableColumns(events)).as(sql`
    with sample as materialized (select ${shown.recordedAt} as latest_at from ${latestOfEach}
      where ${isShown(sql`${fans}.user_id`)} limit 2 * ${limit}),
    bound as materialized (select ${lastOfPage(sql`sample`)} as since),
    found as materialized (select ${fans}.user_id, (${latestSince}) as latest_at from bound cross join ${fans}),
    page_end as materialized (select ${lastOfPage(latestShown)} as since),
    candidates as materialized (select user_id, since from page_end cross join found where latest_at >= since)
    select ${shown}.* from ${ofEach} where ${isShown(sql`candidates.user_id`)}
    order by ${shown.recordedAt} desc, ${shown.userId} desc, ${shown.sequence} desc limit ${limit}`)
}
