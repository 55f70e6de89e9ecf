/** Problems of profiles. */
import { defineProblems } from '../../core/problems.ts'

export const profileProblems = defineProblems({
  profile_not_found: {
    status: 404,
    title: 'You have no profile yet',
    description:
      'The caller has not created a profile. Create it with `POST /api/user/profile`, or complete the onboarding.',
  },
  handle_taken: {
    status: 409,
    title: 'Another fan has this handle',
    description: 'Handles are unique, and some are reserved for the club. Ask the user for another handle.',
  },
})
