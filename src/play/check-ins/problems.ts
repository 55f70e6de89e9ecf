/** Problems of check-ins. */

import { defineProblems } from '../../core/problems.ts'
import { Type } from '../../core/typebox.ts'

export const checkInProblems = defineProblems({
  invalid_check_in_code: {
    status: 422,
    title: 'The check-in code is not valid',
    description:
      'The code is not a check-in code, or it is older than a minute. Let the user scan the current code.',
  },
  check_in_closed: {
    status: 409,
    title: 'Check-in for the match is closed',
    description:
      'Check-in is open from 3 hours before kick-off to 3 hours after it, but not for a postponed or cancelled match. Do not retry before `opensAt`; without `opensAt`, check-in does not open again.',
    members: Type.Object({
      opensAt: Type.Optional(
        Type.String({ format: 'date-time', description: 'When check-in opens; absent if it is over.' }),
      ),
    }),
    example: { opensAt: '2026-08-15T15:30:00.000Z' },
  },
})
