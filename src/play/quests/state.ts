/** The state of a period of a quest, from its counts, what the fan completed before, and the clock. */
import type { QuestDefinition, QuestStep } from './definition.ts'

/** The count of each step with any. */
export type Counts = Record<string, number>

export type QuestState = 'locked' | 'in_progress' | 'completed' | 'claimed' | 'expired'

/** Guarantee of the cast: only this room writes the column. */
export const parseCounts = (text: string) => JSON.parse(text) as Counts

export const isFull = ({ steps }: Pick<QuestDefinition, 'steps'>, counts: Counts) =>
  steps.every(({ id, target }) => (counts[id] ?? 0) >= target)

/** The progress that a fan sees: never beyond the target. */
export const progressOf = (steps: QuestStep[], counts: Counts) =>
  steps.map(({ id, target }) => ({ stepId: id, count: Math.min(counts[id] ?? 0, target), target }))

interface Facts {
  completedAt: Date | null
  claimedAt: Date | null
  /** Quests to be completed first. */
  blockedBy: string[]
  /** When the period, or the quest, ends; null for never. */
  endsAt: Date | null
}

/** A completed period stays completed. Only an incomplete period expires, by the clock alone. */
export function stateOf({ completedAt, claimedAt, blockedBy, endsAt }: Facts, now: Date): QuestState {
  if (claimedAt) return 'claimed'
  if (completedAt) return 'completed'
  if (endsAt && endsAt <= now) return 'expired'
  return blockedBy.length > 0 ? 'locked' : 'in_progress'
}

/** The earlier of two ends; null never ends. */
export function earlier(a: Date | null, b: Date | null): Date | null {
  if (!a || !b) return a ?? b
  return a < b ? a : b
}
