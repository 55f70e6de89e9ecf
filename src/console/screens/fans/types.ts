/** Response types of the operations on fans. */
import type { Data } from '../../api.ts'

export type FoundFan = FoundFans['fans'][number]
export type FoundFans = Data<'searchFans'>
export type FanHead = Data<'readFan'>
export type TimelineItem = Data<'readFanTimeline'>['items'][number]
