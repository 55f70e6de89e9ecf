/** Problems of memberships. */
import { defineProblems } from '../../core/problems.ts'

export const membershipProblems = defineProblems({
  membership_not_found: {
    status: 404,
    title: 'No such membership',
    description: 'No membership has this `ref`.',
  },
  membership_kind_not_found: {
    status: 422,
    title: 'No such kind of membership',
    description: 'The catalogue has no kind of membership with the id `kindId`. Import the kind first.',
  },
  membership_of_another_fan: {
    status: 409,
    title: 'The membership belongs to another fan',
    description:
      'The membership with this `ref` was written for another fan. End it, and write the new one with another `ref`.',
  },
})
