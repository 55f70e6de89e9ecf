import { type ProblemCode, ProblemError } from './api.ts'
import { formatMoment, text } from './lang/lang.ts'

/** Words for a fan. */
export function describe(error: unknown): string {
  if (!(error instanceof ProblemError)) return error instanceof Error ? error.message : text.states.failed
  const { problem } = error
  if (problem.code === 'suspended') {
    const { until, reason } = problem
    return text.standing.suspended(formatMoment(until), text.reasons[reason] ?? reason)
  }
  if (problem.code === 'item_resting')
    return text.trades.resting(problem.serialNumber, formatMoment(problem.until))
  const words: Partial<Record<ProblemCode, string>> = text.problems
  return words[problem.code] ?? text.states.failed
}
