/**
 * Step-up authentication for actions that cannot be undone: requires a session token of a user who has just
 * authenticated.
 */

import type { Credential } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { authProblems } from './problems.ts'

const MAX_AGE_MS = 5 * 60_000

/**
 * A native token is refused: it is refreshed without the user.
 * @throws DomainError `reauthentication_required`
 */
export function requireRecentSignIn(credential: Credential, now: Date): void {
  if (credential.kind === 'native')
    throw new DomainError(authProblems.reauthentication_required, {
      detail: 'A native token is not accepted here. Send a session token of a new sign-in.',
    })
  if (now.getTime() - credential.authenticatedAt.getTime() > MAX_AGE_MS)
    throw new DomainError(authProblems.reauthentication_required, {
      detail: 'The user authenticated more than 5 minutes ago. Send a session token of a new sign-in.',
    })
}
