/**
 * Streaks: runs of completed periods. A run may miss `graceDays` days in all. Missed days are the days of the quest's time
 * zone between two periods, so that days of 23 or 25 hours, and days that a zone left out, neither end nor save a run.
 */
import { windowAt } from '../core/windows.ts'
import { type BoundedPeriod, boundedPeriodAt, boundedPeriodUntil, type PeriodRules } from './periods.ts'

export interface StreakRules extends PeriodRules {
  graceDays: number
}

/** The latest run and the length of the longest one. */
export interface Streak {
  current: number
  best: number
  /** Days that the run may still miss. */
  graceLeft: number
  /** When the last completed period ends. */
  lastEndsAt: Date
}

/** The streak after another completed period, which must be later than all before. */
export function extendStreak(
  streak: Streak | undefined,
  { startsAt, endsAt }: Pick<BoundedPeriod, 'startsAt' | 'endsAt'>,
  { timeZone, graceDays }: StreakRules,
): Streak {
  const { current = 0, best = 0, graceLeft = 0 } = streak ?? {}
  const missed = streak
    ? countDays(streak.lastEndsAt, startsAt, timeZone, graceLeft + 1)
    : Number.POSITIVE_INFINITY
  if (missed > graceLeft)
    return { current: 1, best: Math.max(best, 1), graceLeft: graceDays, lastEndsAt: endsAt }
  return {
    current: current + 1,
    best: Math.max(best, current + 1),
    graceLeft: graceLeft - missed,
    lastEndsAt: endsAt,
  }
}

/** The streak of completed periods, by their ends in ascending order. Undefined for none. */
export function streakOf(ends: Date[], rules: StreakRules): Streak | undefined {
  let streak: Streak | undefined
  for (const endsAt of ends) streak = extendStreak(streak, boundedPeriodUntil(rules, endsAt), rules)
  return streak
}

/** When a run ends if no further period is completed: the end of the last period that could extend it. */
export function endOfStreak({ lastEndsAt, graceLeft }: Streak, rules: StreakRules): Date {
  let from = lastEndsAt
  for (let day = 0; day < graceLeft; day++) from = endOfDay(from, rules.timeZone)
  // It starts within the grace, and the one after it does not.
  return boundedPeriodAt(rules, from).endsAt
}

/** What a fan sees of a streak: see `Streak` in `schema.ts`. */
export function presentStreak(
  streak: (Streak & { endsAt: Date }) | undefined,
  rules: StreakRules,
  now: Date,
) {
  const { graceDays, timeZone } = rules
  if (!streak || streak.endsAt <= now)
    return { current: 0, best: streak?.best ?? 0, atRiskUntil: null, graceLeft: graceDays }
  const { current, best, graceLeft, lastEndsAt, endsAt } = streak
  const { startsAt } = boundedPeriodAt(rules, now)
  const missed = countDays(lastEndsAt, startsAt, timeZone, graceLeft)
  return { current, best, atRiskUntil: endsAt.toISOString(), graceLeft: graceLeft - missed }
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
