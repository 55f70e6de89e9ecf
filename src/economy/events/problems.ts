/** Problems of events that server keys report. */
import { defineProblems } from '../../core/problems.ts'

export const eventProblems = defineProblems({
  event_not_found: {
    status: 404,
    title: 'There is no such event',
    description:
      'You have sent no event with this id. The void is kept: if the event arrives later, it is ignored.',
  },
})
