/** Problems of decisions, for commands: no operation of the API responds with them. */
import { defineProblems } from '../../core/problems.ts'

export const sanctionProblems = defineProblems({
  sanction_not_in_force: {
    status: 409,
    title: 'The sanction is not in force',
    description: 'It has ended or was lifted, or there is none of this id.',
  },
})
