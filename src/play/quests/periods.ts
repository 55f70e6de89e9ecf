/** Periods of quests: days, ISO weeks and months in the quest's own time zone, or one without end. */
import { windowAt } from '../../core/windows.ts'
import type { QuestEntry } from './entry-schema.ts'

/** What determines the periods of a quest. It does not change once fans have progress. */
export interface PeriodRules {
  period: QuestEntry['period']
  /** IANA name. */
  timeZone: string
}

export interface Period {
  /** `ever`, `2026-11-22`, `2026-W47` or `2026-11`. */
  key: string
  /** Both are null for `ever`. `endsAt` is exclusive. */
  startsAt: Date | null
  endsAt: Date | null
}

export interface BoundedPeriod extends Period {
  startsAt: Date
  endsAt: Date
}

const EVER = 'ever'

/** The period that contains an instant. */
export const periodAt = ({ period, timeZone }: PeriodRules, at: Date): Period =>
  windowAt(period === 'once' ? EVER : period, at, timeZone)

/** The same for a quest that repeats. */
export function boundedPeriodAt(rules: PeriodRules, at: Date): BoundedPeriod {
  const { key, startsAt, endsAt } = periodAt(rules, at)
  if (!startsAt || !endsAt) throw new Error('a period of a quest that repeats has no bounds')
  return { key, startsAt, endsAt }
}

/** The period that ends at an instant, of a quest that repeats. */
export const boundedPeriodUntil = (rules: PeriodRules, endsAt: Date): BoundedPeriod =>
  boundedPeriodAt(rules, new Date(endsAt.getTime() - 1))

/** The period that ends at an instant; `ever` for null. */
export const periodUntil = (rules: PeriodRules, endsAt: Date | null): Period =>
  periodAt(rules, endsAt ? new Date(endsAt.getTime() - 1) : new Date(0))

/** The current period, or the last one for a quest that has ended. */
export const currentPeriod = (rules: PeriodRules, questEndsAt: Date | null, now: Date): Period =>
  questEndsAt && questEndsAt <= now ? periodUntil(rules, questEndsAt) : periodAt(rules, now)
