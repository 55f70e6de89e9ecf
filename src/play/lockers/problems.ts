/** Problems of lockers. */
import { defineProblems } from '../../core/problems.ts'

export const lockerProblems = defineProblems({
  locker_not_found: {
    status: 404,
    title: 'The fan shows no locker',
    description: 'The fan has no locker, or does not show it to the caller.',
  },
})
