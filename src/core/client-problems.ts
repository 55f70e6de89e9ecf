/**
 * Problems that the typed client creates itself, so that every error is a problem. The API never responds
 * with them.
 */
import { defineProblems } from './problems.ts'

export const clientProblems = defineProblems({
  network_error: {
    status: 503,
    title: 'The API cannot be reached',
    description:
      'No response arrived: the connection failed, was cut, or was aborted. Try again, with the same `Idempotency-Key` for a write.',
  },
  unexpected_response: {
    status: 502,
    title: 'The response does not come from this API',
    description:
      'A proxy or another server responded, for example with a page of its own; `detail` has its status. Try again later.',
  },
})

export type ClientProblem = (typeof clientProblems)[keyof typeof clientProblems]
