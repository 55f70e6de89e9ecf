/**
 * Evaluates a rule for an event, without limit and budget. The result depends only on the two, so the
 * evaluation can be repeated.
 */
import { type Condition, findUnmet, valueAt } from '../../club/catalogue/conditions.ts'
import { MAX_POINTS, type Rule } from './rule.ts'

/** The part of an event that rules evaluate. */
export interface EventFacts {
  type: string
  occurredAt: Date
  /** A JSON object; null without data. */
  data: unknown
}

export type Evaluation =
  | { outcome: 'matched'; points: number }
  /** Outside the time of the rule. */
  | { outcome: 'not_started' | 'ended' }
  | { outcome: 'unmet'; condition: Condition }
  /** No number of zero or more at `per`, or one less than `every`. */
  | { outcome: 'no_points' }

/** The event must be of the rule's type. */
export function evaluateRule(rule: Rule, { occurredAt, data }: EventFacts): Evaluation {
  if (rule.startsAt && occurredAt < rule.startsAt) return { outcome: 'not_started' }
  if (rule.endsAt && occurredAt >= rule.endsAt) return { outcome: 'ended' }
  const condition = findUnmet(rule.when, data)
  if (condition) return { outcome: 'unmet', condition }
  const points = pointsOf(rule.points, data)
  return points > 0 ? { outcome: 'matched', points } : { outcome: 'no_points' }
}

/** Whether the evaluation depends on the data of an event, which is deleted after a while. */
export const needsData = ({ when, points }: Rule): boolean => when.length > 0 || 'per' in points

function pointsOf(points: Rule['points'], data: unknown): number {
  if ('fixed' in points) return points.fixed
  const value = valueAt(data, points.per)
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return 0
  // This is exact: dividing by a whole number never rounds up to the next whole number.
  return Math.min(Math.floor(value / points.every) * points.points, MAX_POINTS)
}
