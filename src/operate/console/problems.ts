/** Problems of the console alone. Its operations have those of the API as well. */
import { defineProblems } from '../../core/problems.ts'
import { Type } from '../../core/typebox.ts'

export const consoleProblems = defineProblems({
  session_required: {
    status: 401,
    title: 'Sign in first',
    description: 'There is no session, or it has expired or was ended. Sign in again.',
  },
  link_not_valid: {
    status: 401,
    title: 'This link cannot be used',
    description: 'The link was used, has expired, or is not complete. Ask for a new one.',
  },
  csrf_failed: {
    status: 403,
    title: 'The request does not come from the console',
    description:
      'A request that writes needs the header `X-CSRF-Token` with the token of `GET /api/session`, and the `Origin` of the console.',
  },
  permission_denied: {
    status: 403,
    title: 'Your role does not allow this',
    description: 'The operation needs the permission in `permission`, which the role of the session lacks.',
    members: Type.Object({ permission: Type.String() }),
    example: { permission: 'points.write' },
  },
})
