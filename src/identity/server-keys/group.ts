/** Groups of routes for the club's own systems, which authenticate with a server key. */

import { Elysia, type ElysiaCustomStatusResponse } from 'elysia'
import type { Logger } from 'pino'
import type { Transaction } from '../../../db/index.ts'
import type { ProblemOf } from '../../core/problems.ts'
import type { transportProblems } from '../../core/transport-problems.ts'
import { bearerInGroup, tokenOf } from '../../platform/http/contract/bearer.ts'
import { describeServerGroup, type Group, withRefusals } from '../../platform/http/contract/group.ts'
import { uncachedInGroup } from '../../platform/http/edge/server-hooks.ts'
import { throwProblem } from '../../platform/http/idempotency/idempotency.ts'
import { limitSource } from '../../platform/http/rate-limits/policies.ts'
import type { RateLimiter } from '../../platform/http/rate-limits/rate-limiter.ts'
import { requireScope, requireServerKey, type ServerKeyDeps } from './authenticate.ts'
import { createUseRecorder } from './last-use.ts'
import type { ServerScope } from './scopes.ts'

export interface ServerDeps extends ServerKeyDeps {
  log: Logger
  rateLimiter: RateLimiter
}

interface ServerGroup<Prefix extends string> extends Group<Prefix> {
  /** The scope that every operation of the group requires. */
  scope: ServerScope
}

/** What authentication throws: see `Refusal` of `auth/groups.ts`. */
export type KeyRefusal =
  | ElysiaCustomStatusResponse<
      401,
      ProblemOf<typeof transportProblems.unauthenticated | typeof transportProblems.invalid_server_key>,
      401
    >
  | ElysiaCustomStatusResponse<403, ProblemOf<typeof transportProblems.insufficient_scope>, 403>

/**
 * Handlers get `source`, the name of the calling system, and `write`, which opens a unit of work and may be called several
 * times. These operations take no `Idempotency-Key`: ids, refs and codes in their bodies make a repeat safe.
 * @throws DomainError `unauthenticated`, `invalid_server_key`, `insufficient_scope`, `rate_limited`
 */
export function servers<const Prefix extends string>(
  deps: ServerDeps,
  { prefix, tag, scope }: ServerGroup<Prefix>,
) {
  const { db, rateLimiter } = deps
  const recordUse = createUseRecorder(deps)
  /** A DomainError that `work` returns is thrown after the commit: what it wrote is kept. */
  const write = async <Result>(work: (tx: Transaction) => Promise<Result>) =>
    throwProblem(await db.write(work))
  return (
    new Elysia({ prefix, detail: describeServerGroup(tag, scope) })
      .decorate('rateLimiter', rateLimiter)
      .use(bearerInGroup())
      .use(uncachedInGroup())
      // A derive runs before validation: a caller without a key gets 401, not 422.
      .derive(async ({ bearer, request, set }) => {
        const key = await requireServerKey(deps, tokenOf(request.headers.get('authorization'), bearer))
        limitSource(rateLimiter, 'source', key.source, limits => Object.assign(set.headers, limits))
        requireScope(key, scope)
        recordUse(key)
        return withRefusals<KeyRefusal>()({ source: key.source, write })
      })
  )
}
