/** Problems of events that server keys report. */
import { defineProblems } from '../../core/problems.ts'

export const eventProblems = defineProblems({
  event_not_found: {
    status: 404,
    title: 'There is no such event',
    description:
      'You have sent no event with this id. The void is kept: if the event arrives later, it is ignored.',
  },
  event_archived: {
    status: 409,
    title: 'The event is archived',
    description:
      'The event is of an ended season, and its row is in the archive, so it cannot be voided. The club can restore the past of the fan with `archive restore`; then send the void again.',
  },
})
