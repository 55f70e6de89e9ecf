/** Problems of accounts. */
import { defineProblems } from '../../core/problems.ts'

export const accountProblems = defineProblems({
  account_not_found: {
    status: 404,
    title: 'No such account',
    description: 'The catalogue has no active account with this id, or it is not public.',
  },
})
