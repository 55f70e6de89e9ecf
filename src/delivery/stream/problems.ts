/** Problems of event streams. */
import { defineProblems } from '../../core/problems.ts'

export const streamProblems = defineProblems({
  too_many_streams: {
    status: 429,
    title: 'Too many open streams',
    description:
      'The fan or the server has reached the maximum number of open streams. Close streams that you do not need, or wait for the number of seconds in `Retry-After`.',
  },
})
