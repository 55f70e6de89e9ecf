/** A group of routes for fans and for the club's own systems. The token says which of them calls. */
import { Elysia } from 'elysia'
import type { Transaction } from '../../../db/index.ts'
import type { AuthenticatedCaller, Caller } from '../../core/caller.ts'
import { bearerInGroup, tokenOf } from '../../platform/http/contract/bearer.ts'
import { describeSharedGroup, type Group, withRefusals } from '../../platform/http/contract/group.ts'
import { uncachedInGroup } from '../../platform/http/edge/server-hooks.ts'
import {
  runIdempotently,
  throwProblem,
  type WriteOptions,
} from '../../platform/http/idempotency/idempotency.ts'
import { limitCaller, limitSource } from '../../platform/http/rate-limits/policies.ts'
import { writeAsFan } from '../sanctions/write-as-fan.ts'
import { requireScope, requireServerKey } from '../server-keys/authenticate.ts'
import type { KeyRefusal, ServerDeps } from '../server-keys/group.ts'
import { looksLikeServerKey } from '../server-keys/key.ts'
import { createUseRecorder } from '../server-keys/last-use.ts'
import type { ServerScope } from '../server-keys/scopes.ts'
import { identify } from './authenticate.ts'
import { type FanDeps, type Refusal, writingOf } from './groups.ts'

/** `scope`: what a server key needs. */
interface SharedGroup<Prefix extends string> extends Group<Prefix> {
  scope: ServerScope
}

/**
 * Handlers get the `caller`, or else the `source`, and `write`, which is that of `fans` or of `servers`.
 * @throws DomainError as `fans` and `servers`
 */
export function fansOrServers<const Prefix extends string>(
  deps: FanDeps & ServerDeps,
  { prefix, tag, scope }: SharedGroup<Prefix>,
) {
  const { db, rateLimiter } = deps
  const recordUse = createUseRecorder(deps)

  return (
    new Elysia({ prefix, detail: describeSharedGroup(tag, scope) })
      .decorate('rateLimiter', rateLimiter)
      .use(bearerInGroup())
      .use(uncachedInGroup())
      // A derive runs before validation: a caller without a token gets 401, not 422.
      .derive(async ({ bearer, request, route, set }) => {
        const token = tokenOf(request.headers.get('authorization'), bearer)
        const report = (limits: object) => Object.assign(set.headers, limits)
        let caller: AuthenticatedCaller | null = null
        let source: string | undefined
        if (looksLikeServerKey(token)) {
          const key = await requireServerKey(deps, token)
          source = key.source
          limitSource(rateLimiter, 'source', source, report)
          requireScope(key, scope)
          recordUse(key)
        } else {
          caller = await identify(deps, token)
          limitCaller(rateLimiter, 'caller', caller, report)
        }
        async function write<Response, Prepared = undefined>(
          work: (tx: Transaction, fan: Caller | null, prepared: Prepared) => Promise<Response>,
          options: WriteOptions<Prepared> = {},
        ) {
          if (caller) {
            const sender = caller
            return runIdempotently(
              deps,
              { caller: sender, request, route, set },
              (tx, prepared: Prepared) =>
                writeAsFan(tx, sender, writingOf(request), fan => work(tx, fan, prepared)),
              options,
            )
          }
          // Guarantee of the cast: `Prepared` is undefined without a `prepare`.
          const prepared = (await options.prepare?.()) as Prepared
          return throwProblem(await db.write(tx => work(tx, null, prepared)))
        }
        return withRefusals<Refusal | KeyRefusal>()({ caller, source, write })
      })
  )
}
