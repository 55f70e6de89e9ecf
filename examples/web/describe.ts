import { ProblemError } from './api.ts'
import { formatMoment, text } from './lang/lang.ts'
import { problemWords } from './problem-words.ts'

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
  if (problem.code === 'paused') return text.limits.pausedUntil(formatMoment(problem.until))
  return problemWords(text, problem) ?? text.states.failed
}
