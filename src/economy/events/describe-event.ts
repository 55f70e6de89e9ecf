/** An explained event in words. */
import type { EventExplanation, Reason, RuleExplanation } from './explain-event.ts'

export function describeEvent(event: EventExplanation): string {
  const { source, eventId, userId, sequence, type, occurredAt, recordedAt, voidedAt, rules, taken } = event
  const width = Math.max(0, ...rules.map(({ ruleId }) => ruleId.length))
  const points = rules.reduce((sum, rule) => sum + (rule.outcome === 'granted' ? rule.points : 0), 0)
  return [
    `Event ${eventId} of ${source}: ${type}, number ${sequence} of fan ${userId}`,
    `occurred ${occurredAt.toISOString()}, recorded ${recordedAt.toISOString()}`,
    ...(rules.length === 0 ? ['No rule listens to events of this type.'] : []),
    ...rules.map(rule => `  ${rule.ruleId.padEnd(width)}  ${describeRule(rule)}`),
    `Granted ${points} points.`,
    ...(voidedAt ? [`Voided ${voidedAt.toISOString()}: ${describeTaken(taken)}`] : []),
  ].join('\n')
}

/** What a rule decided, and why. */
export const describeRule = (rule: RuleExplanation) =>
  rule.outcome === 'granted' ? `granted ${rule.points} points` : `nothing: ${describeReason(rule)}`

function describeReason(reason: Exclude<Reason, { outcome: 'granted' }>): string {
  switch (reason.outcome) {
    case 'limit': {
      const limit = reason.limit ? `${reason.limit.count} per ${reason.limit.per}` : 'limit'
      return `the limit of ${limit} was reached (${reason.window})`
    }
    case 'segment':
      return `the fan was not in the segment ${reason.segment}`
    case 'full':
      return `the account of the fan could not hold ${reason.points} more points`
    case 'budget':
      return `${reason.points} points did not fit into the rest of the budget of ${reason.budget}`
    case 'unmet': {
      const { path, op, value } = reason.condition
      const actual = reason.actual === undefined ? 'is missing' : `is ${JSON.stringify(reason.actual)}`
      return `${path} ${actual}, must be ${op} ${JSON.stringify(value)}`
    }
    case 'no_points':
      return 'the number that it counts is missing or too small'
    case 'not_started':
      return 'the event was before its start'
    case 'ended':
      return 'the event was after its end'
    case 'later':
      return 'the rule became active after the event was recorded'
    case 'unheard':
      return 'rules can no longer listen to the type'
    case 'undecided':
      return 'it matches and has not decided: run verify-ledger'
    case 'data_deleted':
      return 'it did not match; the data of the event was deleted'
  }
}

export function describeTaken(taken: EventExplanation['taken']): string {
  const points = taken.reduce((sum, grant) => sum + grant.points, 0)
  const uncollected = taken.reduce((sum, grant) => sum + grant.uncollected, 0)
  return `${points} points were taken back, ${uncollected} had been spent.`
}
