/** What the tables say about the quests of one fan, and what a check finds in it. */
import type { Tables } from '../../../../db/index.ts'
import type { EventRow } from '../../../economy/events/event.ts'
import type { ProgressRow } from '../rows.ts'
import type { StreakRow } from '../streaks.ts'

export interface QuestFacts {
  userId: string
  now: Date
  /** Each period, with the event of its completion. */
  progress: { row: ProgressRow; completionEvent: EventRow | null }[]
  counted: Tables['questCounts']['$inferSelect'][]
  streaks: StreakRow[]
  /** Points that quests gave. */
  entries: { ref: string; delta: number; createdAt: Date }[]
  /** Items that anything gave. */
  items: { givenFor: string | null; collectibleId: string }[]
  /** All events of the fan, in their order. */
  recorded: EventRow[]
  /** The fans who were merged into this one. */
  merges: { fromId: string }[]
}

export type Value = string | number | null

/** One value that differs from what it must be. */
export interface QuestFinding {
  /** Null for a finding about the quest itself. */
  userId: string | null
  questId: string
  /** Null for a streak. */
  period: string | null
  what: string
  expected: Value
  actual: Value
}
