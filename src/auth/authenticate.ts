/** Bearer token → caller. A derive, since it must run before validation: an anonymous caller gets 401, not 422. */
import { bearer } from '@elysiajs/bearer'
import { Elysia } from 'elysia'
import type { Caller } from '../caller.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../problems.ts'

/** RFC 6750 §2.1: the `b64token` syntax. Two Authorization headers arrive joined by a comma and fail it. */
const B64_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Adds `caller` to every route of the group that uses it.
 * @throws DomainError `unauthenticated`, `invalid_token`, `identity_provider_unavailable`
 */
export const authenticate = ({ identity }: Pick<Deps, 'identity'>) =>
  new Elysia({ name: 'matchday/authenticate' })
    .use(bearer())
    .derive({ as: 'scoped' }, async ({ bearer, headers }): Promise<{ caller: Caller }> => {
      // The plugin also reads `?access_token=`, which ends in histories and logs: only the header counts.
      if (headers.authorization === undefined || !/^bearer(\s|$)/i.test(headers.authorization)) {
        throw new DomainError('unauthenticated')
      }
      const token = (bearer ?? headers.authorization.slice('Bearer '.length)).trim()
      if (!B64_TOKEN.test(token))
        throw new DomainError('invalid_token', { detail: 'The token cannot be read.' })
      const { subject } = await identity.verify(token)
      return { caller: { provider: identity.name, subject, sessionToken: token } }
    })
