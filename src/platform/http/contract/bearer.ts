/** What groups of routes that read a bearer token have in common. */

import { bearer } from '@elysiajs/bearer'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'

const SCHEME_MISSING = 'The Authorization header must be "Bearer", a space, and the token.'

/** The bearer plugin for one group. Its hooks are global by default, and every request would pay. */
export function bearerInGroup() {
  const plugin = bearer()
  for (const hook of plugin.event.transform ?? []) hook.scope = 'scoped'
  return plugin
}

/**
 * The token of the Authorization header. The bearer plugin also reads `?access_token=` (RFC 6750 §2.3), which histories and
 * logs would store: it is ignored. Schemes are case-insensitive (RFC 9110 §11.1).
 * @throws DomainError `unauthenticated`
 */
export function tokenOf(authorization: string | null, bearer: string | undefined): string {
  if (authorization === null || !/^bearer(\s|$)/i.test(authorization))
    throw new DomainError(
      transportProblems.unauthenticated,
      authorization === null ? {} : { detail: SCHEME_MISSING },
    )
  const token = authorization.startsWith('Bearer') ? bearer : authorization.slice('Bearer '.length)
  return token?.trim() ?? ''
}
