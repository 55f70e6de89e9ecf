/** Problems of top-ups. */
import { defineProblems } from '../../core/problems.ts'

export const topUpProblems = defineProblems({
  top_up_not_found: {
    status: 404,
    title: 'You have no such top-up',
    description: 'The caller has no top-up with this id. Check the id, or start another.',
  },
  top_up_expired: {
    status: 409,
    title: 'The top-up has expired; start another',
    description:
      'The top-up was not paid in time, or is refunded; `detail` states which. Start another. A payment that arrives late is credited.',
  },
})
