/** Problems of sessions and native tokens. */
import { defineProblems } from '../../core/problems.ts'

export const authProblems = defineProblems({
  invalid_refresh_token: {
    status: 401,
    title: 'The refresh token is not valid',
    description:
      'The refresh token is unknown, expired or already used, or its session has ended. Sign the user in again.',
  },
  session_not_found: {
    status: 404,
    title: 'You have no such session',
    description:
      'The caller has no active session with this id; it may have ended already. Read the list of sessions again.',
  },
  reauthentication_required: {
    status: 403,
    title: 'Sign in again first',
    description:
      'The operation requires a session token of a user who authenticated at most 5 minutes ago (`auth_time`, else `iat`); a native token is not accepted. Sign the user in again, with `prompt=login` or `max_age=0`, and send the new session token.',
  },
  session_required: {
    status: 403,
    title: 'This requires a session token of the identity provider',
    description:
      'The request has a native token, and this operation accepts only a session token. Send the session token of the identity provider.',
  },
})
