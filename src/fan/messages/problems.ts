/** Problems of messages. */
import { defineProblems } from '../../core/problems.ts'

export const messageProblems = defineProblems({
  message_not_found: {
    status: 404,
    title: 'There is no such message',
    description: 'The inbox has no message of this id: it was deleted, or is older than 90 days.',
  },
})
