/**
 * Streaks: runs of completed periods. A run ends with the last completed period. It reaches back as far as possible with at
 * most `graceDays` missed days in total. So it depends on which periods are completed, not on the order of completion, and a
 * further completed period never shortens it. Missed days are days in the quest's time zone between two periods: days of 23
 * or 25 hours, and days that a zone skipped, neither end nor save a run.
 */
import { windowAt } from '../../core/windows.ts'
import { type BoundedPeriod, boundedPeriodAt, boundedPeriodUntil, type PeriodRules } from './periods.ts'

export interface StreakRules extends PeriodRules {
  graceDays: number
}

/** The latest run and the length of the longest one. */
export interface Streak {
  current: number
  best: number
  /** Days that may still be missed before the run becomes shorter. */
  graceLeft: number
  /** When the last completed period ends. */
  lastEndsAt: Date
}

/**
 * The streak after another completed period, which must be later than all earlier ones. Null if the run becomes shorter: its
 * length then follows only from all completed periods.
 */
export function extendStreak(
  streak: Streak | undefined,
  { startsAt, endsAt }: Pick<BoundedPeriod, 'startsAt' | 'endsAt'>,
  { timeZone, graceDays }: StreakRules,
): Streak | null {
  const missed = streak && countDays(streak.lastEndsAt, startsAt, timeZone, graceDays + 1)
  if (!streak || missed === undefined || missed > graceDays)
    return { current: 1, best: Math.max(streak?.best ?? 0, 1), graceLeft: graceDays, lastEndsAt: endsAt }
  if (missed > streak.graceLeft) return null
  const current = streak.current + 1
  const best = Math.max(streak.best, current)
  return { current, best, graceLeft: streak.graceLeft - missed, lastEndsAt: endsAt }
}

/** The streak of completed periods, by their ends in ascending order. Undefined for none. */
export const streakOf = (ends: Date[], rules: StreakRules): Streak | undefined => findRun(ends, rules, 0)

/** Like `streakOf`, after further missed days: only the part of the run that its grace still covers. */
export function streakAt(ends: Date[], rules: StreakRules, now: Date): Streak | undefined {
  const last = ends.at(-1)
  return last && findRun(ends, rules, missedSince(last, rules, now))
}

function findRun(ends: Date[], rules: StreakRules, missedSinceLast: number): Streak | undefined {
  const { timeZone, graceDays } = rules
  /** Days missed before each period. */
  const gaps: number[] = []
  let [first, missed, best] = [0, 0, 0]
  const dropOldest = () => {
    missed -= gaps[++first] ?? 0
  }
  for (const [index, endsAt] of ends.entries()) {
    const before = ends[index - 1]
    const { startsAt } = boundedPeriodUntil(rules, endsAt)
    const gap = before ? countDays(before, startsAt, timeZone, graceDays + 1) : 0
    gaps.push(gap)
    missed += gap
    while (missed > graceDays) dropOldest()
    best = Math.max(best, index - first + 1)
  }
  while (first < ends.length && missed + missedSinceLast > graceDays) dropOldest()
  const lastEndsAt = ends.at(-1)
  return lastEndsAt && { current: ends.length - first, best, graceLeft: graceDays - missed, lastEndsAt }
}

/** When the run becomes shorter if no further period is completed: the end of the last period that could extend it. */
export const endOfRun = ({ lastEndsAt, graceLeft }: Streak, rules: StreakRules): Date =>
  endAfter(lastEndsAt, graceLeft, rules)

/** The time when the run is empty if no further period is completed. */
export const endOfStreak = ({ lastEndsAt }: Streak, rules: StreakRules): Date =>
  endAfter(lastEndsAt, rules.graceDays, rules)

function endAfter(lastEndsAt: Date, days: number, rules: StreakRules): Date {
  let from = lastEndsAt
  for (let day = 0; day < days; day++) from = endOfDay(from, rules.timeZone)
  // This period starts within the grace, and the next one does not.
  return boundedPeriodAt(rules, from).endsAt
}

/** A streak as a fan sees it, with its current run: see `Streak` in `schema.ts`. */
export function presentStreak(streak: Streak | undefined, rules: StreakRules, now: Date) {
  const until = streak && endOfRun(streak, rules)
  if (!until || until <= now)
    return { current: 0, best: streak?.best ?? 0, atRiskUntil: null, graceLeft: rules.graceDays }
  const { current, best, lastEndsAt } = streak
  const graceLeft = streak.graceLeft - missedSince(lastEndsAt, rules, now)
  return { current, best, atRiskUntil: until.toISOString(), graceLeft }
}

/** Whole days between the last completed period and the current one, counted up to one more than the grace. */
function missedSince(lastEndsAt: Date, rules: StreakRules, now: Date): number {
  const { startsAt } = boundedPeriodAt(rules, now)
  return countDays(lastEndsAt, startsAt, rules.timeZone, rules.graceDays + 1)
}

/** The number of days of a zone between two midnights, counted up to `limit`. */
function countDays(from: Date, to: Date, timeZone: string, limit: number): number {
  let days = 0
  for (let at = from; at < to && days < limit; days++) at = endOfDay(at, timeZone)
  return days
}

function endOfDay(at: Date, timeZone: string): Date {
  const { endsAt } = windowAt('day', at, timeZone)
  if (!endsAt) throw new Error('a day has no end')
  return endsAt
}
