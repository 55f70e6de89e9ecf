/** Problems of quests. */
import { defineProblems } from '../../core/problems.ts'

export const questProblems = defineProblems({
  quest_not_found: {
    status: 404,
    title: 'There is no such quest',
    description: 'No quest has this id. Read the list of quests again.',
  },
  quest_not_completed: {
    status: 409,
    title: 'The quest is not completed',
    description:
      'The caller has not completed the quest in this period. Show the progress, and try again once `state` is `completed`.',
  },
  quest_expired: {
    status: 409,
    title: 'The quest has expired',
    description:
      'The period, or the quest, ended before the caller completed it. Read the list of quests again.',
  },
})
