/** The state of a period of a quest, from its counts, what the fan completed before, and the clock. */
import type { QuestDefinition, QuestStep } from './quest.ts'

/** The count of each step with any. */
export type Counts = Record<string, number>

export type QuestState = 'locked' | 'in_progress' | 'completed' | 'claimed' | 'expired'

/** Guarantee of the cast: only this room writes the column. */
export const parseCounts = (text: string) => JSON.parse(text) as Counts

export const isFull = ({ steps }: Pick<QuestDefinition, 'steps'>, counts: Counts) =>
  steps.every(({ id, target }) => (counts[id] ?? 0) >= target)

/** Events that are older are refused: `MAX_AGE_MS` of `record-events.ts`, and a day. */
export const CLOSES_AFTER_MS = 31 * 86_400_000

/**
 * Whether the counted events of a period are deleted, or may be: it is claimed, or it has ended incomplete so long ago that no event
 * can be recorded for it. A completed period keeps them until it is claimed, since a void can take the completion back.
 */
export const isSettled = (
  { claimedAt, completedAt, endsAt }: Pick<Facts, 'claimedAt' | 'completedAt' | 'endsAt'>,
  now: Date,
): boolean =>
  claimedAt !== null ||
  (completedAt === null && endsAt !== null && endsAt.getTime() + CLOSES_AFTER_MS <= now.getTime())

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
