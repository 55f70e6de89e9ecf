/** What groups of routes that read a bearer token have in common. */
import { bearer } from '@elysiajs/bearer'
import type { Context } from 'elysia'
import { DomainError } from '../../core/problems.ts'

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
    throw new DomainError('unauthenticated', authorization === null ? {} : { detail: SCHEME_MISSING })
  const token = authorization.startsWith('Bearer') ? bearer : authorization.slice('Bearer '.length)
  return token?.trim() ?? ''
}

/** Personal responses are not cached, unless the operation sets `Cache-Control`. */
export function disallowCaching(headers: Context['set']['headers']): void {
  if (headers['Cache-Control'] === undefined && headers['cache-control'] === undefined)
    headers['Cache-Control'] = 'no-store'
}
