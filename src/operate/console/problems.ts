/** Problems only of the console. Its operations also use problems of the API. */
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
  logout_token_not_valid: {
    status: 400,
    title: 'The logout token is not valid',
    description:
      'It is not signed by the provider of the staff for this console, is too old, or is no logout token. No session has ended.',
  },
  session_not_found: {
    status: 404,
    title: 'There is no such session',
    description: 'The session is unknown, has expired, or was ended.',
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
  approval_required: {
    status: 202,
    title: 'Another person must confirm this',
    description:
      'Nothing was done yet: the action is kept until `expiresAt`, for another person with the same permission to confirm.',
    members: Type.Object({ approvalId: Type.String(), expiresAt: Type.String({ format: 'date-time' }) }),
    example: {
      approvalId: '01981e2c-7c1f-7000-8000-000000000003',
      expiresAt: '2026-08-16T18:30:00.000Z',
    },
  },
  approval_not_found: {
    status: 404,
    title: 'There is no such request',
    description: 'No action waits, or has waited, under this id.',
  },
  approval_closed: {
    status: 409,
    title: 'The request is closed',
    description:
      'The action was confirmed or refused by someone, or its time has run out; `state` says which.',
    members: Type.Object({ state: Type.String() }),
    example: { state: 'confirmed' },
  },
  own_approval: {
    status: 403,
    title: 'Another person must confirm this',
    description:
      'The person who asks for an action cannot confirm it. They can refuse it. Who signs in by a link and who signs in with the provider may be one person: confirm it in the way in which it was asked for.',
  },
  too_many_approvals: {
    status: 409,
    title: 'Too many of your requests wait',
    description:
      'At most `limit` requests of a person wait for another one. Withdraw one, or wait for a decision.',
    members: Type.Object({ limit: Type.Integer() }),
    example: { limit: 20 },
  },
})
