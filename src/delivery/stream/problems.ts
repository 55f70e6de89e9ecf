/** Problems of event streams. */
import { defineProblems } from '../../core/problems.ts'

export const streamProblems = defineProblems({
  too_many_streams: {
    status: 429,
    title: 'Too many open streams',
    description:
      'The fan, the network address or the server has as many open streams as the settings allow. Close streams that you do not need, or wait for the number of seconds in `Retry-After`.',
  },
})
