/** Problems of questions. */
import { defineProblems } from '../../core/problems.ts'

export const questionProblems = defineProblems({
  question_not_found: {
    status: 404,
    title: 'There is no such question',
    description: 'No active question has this id. Read the list of questions again.',
  },
  question_closed: {
    status: 409,
    title: 'The question takes no votes now',
    description:
      'The question is not open yet, or it is closed. Do not retry; show the state of the question. Time is that of the server.',
  },
  already_voted: {
    status: 409,
    title: 'You have voted for another option',
    description: 'The caller has voted, and votes of this question cannot be changed. Show the vote.',
  },
  question_answered: {
    status: 409,
    title: 'The question has an answer',
    description:
      'The question is closed and its votes were settled, so it cannot be opened again. Ask another question.',
  },
})
