/** Groups of routes that read a bearer token. Authentication and its documentation are stated once, here. */

import { Elysia, type ElysiaCustomStatusResponse } from 'elysia'
import type { Transaction } from '../../../db/index.ts'
import { type AuthenticatedCaller, type Caller, viewerOf } from '../../core/caller.ts'
import type { ProblemOf } from '../../core/problems.ts'
import type { transportProblems } from '../../core/transport-problems.ts'
import type { PublicReads, ReadPublic } from '../../platform/cache/public-reads.ts'
import { bearerInGroup, tokenOf } from '../../platform/http/contract/bearer.ts'
import { describeGroup, type Group, withRefusals } from '../../platform/http/contract/group.ts'
import { allowedOf } from '../../platform/http/contract/when-suspended.ts'
import { uncachedInGroup } from '../../platform/http/edge/server-hooks.ts'
import {
  type IdempotencyDeps,
  runIdempotently,
  type WriteOptions,
} from '../../platform/http/idempotency/idempotency.ts'
import { limitCaller } from '../../platform/http/rate-limits/policies.ts'
import type { RateLimiter } from '../../platform/http/rate-limits/rate-limiter.ts'
import type { providerProblems } from '../../platform/identity-provider/problems.ts'
import { type Writing, writeAsFan } from '../sanctions/write-as-fan.ts'
import type { Locking } from '../users/locks.ts'
import { type AuthDeps, identify } from './authenticate.ts'

export interface FanDeps extends AuthDeps, IdempotencyDeps {
  rateLimiter: RateLimiter
}

/** What authentication throws, in terms of Elysia's types: Eden's clients see these codes on every route of the group. */
export type Refusal =
  | ElysiaCustomStatusResponse<
      401,
      ProblemOf<typeof transportProblems.unauthenticated | typeof transportProblems.invalid_token>,
      401
    >
  | ElysiaCustomStatusResponse<
      403,
      ProblemOf<typeof transportProblems.suspended | typeof transportProblems.guardian_consent_required>,
      403
    >
  | ElysiaCustomStatusResponse<503, ProblemOf<typeof providerProblems.identity_provider_unavailable>, 503>

/**
 * Routes of signed-in fans. Handlers get `caller`, who reads, and `write`, which opens the unit of work, hands over the fan
 * who writes, refuses a fan who was erased meanwhile, is suspended or lacks the consent of a guardian, and handles `Idempotency-Key`.
 * @throws DomainError `unauthenticated`, `invalid_token`, `identity_provider_unavailable`, `rate_limited`
 */
export const fans = <const Prefix extends string>(deps: FanDeps, { prefix, tag }: Group<Prefix>) =>
  new Elysia({ prefix, detail: describeGroup('fan', tag) })
    .decorate('rateLimiter', deps.rateLimiter)
    .use(bearerInGroup())
    .use(uncachedInGroup())
    // A derive runs before validation: an anonymous caller gets 401, not 422.
    .derive(async ({ bearer, request, route, set }) => {
      const caller = await identify(deps, tokenOf(request.headers.get('authorization'), bearer))
      limitCaller(deps.rateLimiter, 'caller', caller, limits => Object.assign(set.headers, limits))
      const write = <Response, Prepared = undefined>(
        work: (tx: Transaction, fan: Caller, prepared: Prepared, madeAt: Date) => Promise<Response>,
        { toCount, toChange, ...options }: WriteOptions<Prepared> & Locking = {},
      ) =>
        runIdempotently(
          deps,
          { caller, request, route, set },
          (tx, prepared: Prepared, madeAt) =>
            writeAsFan(tx, caller, { ...writingOf(request), toCount, toChange }, fan =>
              work(tx, fan, prepared, madeAt),
            ),
          options,
        )
      return withRefusals<Refusal>()({ caller, write })
    })

export const writingOf = (request: Request): Writing => ({
  ...allowedOf(request),
  onlyDeletes: request.method === 'DELETE',
})

/**
 * Routes with an optional token: `caller` is null without one. A token that is sent must be valid. Handlers get `viewer`, who is
 * `NOBODY` without a token, and `readPublic`, which reads the primary for a caller.
 */
export const optionalFans = <const Prefix extends string>(
  deps: FanDeps & { publicReads: PublicReads },
  { prefix, tag }: Group<Prefix>,
) =>
  new Elysia({ prefix, detail: describeGroup('optional', tag) })
    .decorate('rateLimiter', deps.rateLimiter)
    .use(bearerInGroup())
    .derive(async ({ bearer, request, set }) => {
      let caller: AuthenticatedCaller | null = null
      const authorization = request.headers.get('authorization')
      if (authorization !== null) {
        caller = await identify(deps, tokenOf(authorization, bearer))
        limitCaller(deps.rateLimiter, 'caller', caller, limits => Object.assign(set.headers, limits))
      }
      const { primary, read } = deps.publicReads
      const readPublic: ReadPublic = caller ? work => work(primary) : read
      return withRefusals<Refusal>()({ caller, viewer: viewerOf(caller), readPublic })
    })
