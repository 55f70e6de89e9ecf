/** Problems of matches. */

import { defineProblems } from '../../core/problems.ts'
import { Type } from '../../core/typebox.ts'

export const matchProblems = defineProblems({
  match_not_found: {
    status: 404,
    title: 'There is no such match',
    description: 'No match has this id. Read the list of matches again.',
  },
  stale_revision: {
    status: 409,
    title: 'A newer revision of the match is stored',
    description:
      'The stored match has this revision with another state, or a greater revision. Do not retry: discard the message, or read the match and send its state with a greater revision.',
    members: Type.Object({ revision: Type.Integer({ description: 'The stored revision.', minimum: 1 }) }),
    example: { revision: 4 },
  },
  match_not_over: {
    status: 409,
    title: 'The match cannot be over yet',
    description:
      'The kick-off was less than 45 minutes ago, or is still to come. If the result is right, send it with `early`.',
    members: Type.Object({ kickoffAt: Type.String({ format: 'date-time' }) }),
    example: { kickoffAt: '2026-08-15T18:30:00.000Z' },
  },
})
