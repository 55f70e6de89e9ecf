/** What the operations of fans answer. */
import type * as schema from '../../../operate/admin/fans/schema.ts'

export type FoundFan = FoundFans['fans'][number]
export type FoundFans = typeof schema.FoundFans.static
export type FanHead = typeof schema.FanHead.static
export type TimelinePage = typeof schema.TimelinePage.static
export type TimelineItem = TimelinePage['items'][number]
export type ExplainedEvent = typeof schema.ExplainedEvent.static
export type FanRecord = typeof schema.FanRecord.static
