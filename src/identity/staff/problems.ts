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
      'The token is not a logout token, is too old, or was not signed by the staff’s provider for this console. No session has ended.',
  },
  session_not_found: {
    status: 404,
    title: 'There is no such session',
    description: 'The session is unknown, has expired, or was ended.',
  },
  staff_not_found: {
    status: 404,
    title: 'This person has no access',
    description: 'The person is not signed in and has no unused link.',
  },
  own_role: {
    status: 409,
    title: 'Another owner must change your role',
    description: 'Nobody can change their own role, or invite themselves with another one.',
  },
  role_of_provider: {
    status: 409,
    title: 'The provider decides the role',
    description:
      'The person signs in with the provider of the staff. Change the role there: it applies at the next sign-in.',
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
      'Nothing has been done yet. Another person with the same permission can confirm the action until `expiresAt`.',
    members: Type.Object({ approvalId: Type.String(), expiresAt: Type.String({ format: 'date-time' }) }),
    example: {
      approvalId: '01981e2c-7c1f-7000-8000-000000000003',
      expiresAt: '2026-08-16T18:30:00.000Z',
    },
  },
  approval_not_found: {
    status: 404,
    title: 'There is no such request',
    description: 'No request has this id.',
  },
  approval_closed: {
    status: 409,
    title: 'The request is closed',
    description: 'The request was already confirmed or refused, or it has expired; `state` states which.',
    members: Type.Object({ state: Type.String() }),
    example: { state: 'confirmed' },
  },
  own_approval: {
    status: 403,
    title: 'Another person must confirm this',
    description:
      'The person who asks for an action cannot confirm it, but can refuse it. It must be confirmed by a person who signs in the same way, with a link or with the provider, because one person may have both. Neither can have invited the other, and no third person both.',
  },
  too_many_approvals: {
    status: 409,
    title: 'Too many of your requests are waiting',
    description:
      'A person can have at most `limit` requests that are waiting. Withdraw one, or wait for a decision.',
    members: Type.Object({ limit: Type.Integer() }),
    example: { limit: 20 },
  },
})
