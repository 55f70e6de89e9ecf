/** What surrounds every request: its id, limits and headers, its log line, its body and query checks, its errors as problems. */
import { Elysia, NotFoundError } from 'elysia'
import type { Deps } from '../deps.ts'
import { limitAddress } from '../limits/policies.ts'
import { catalogue, DomainError } from '../problems.ts'
import { readJsonBody } from './body.ts'
import { addressGroup, clientAddress } from './client-address.ts'
import { createCors } from './cors.ts'
import { loggable } from './loggable.ts'
import { problemResponse, toDomainError } from './problem.ts'
import { pathOf, refuseBadHost, refuseBadUrl } from './query.ts'
import { rateLimitHeaders } from './rate-limit-headers.ts'
import { securityHeaders } from './security-headers.ts'

/** A client's own request id is kept when it is sane. */
const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/

export type AllowedMethods = (path: string) => string[]
type HookDeps = Pick<Deps, 'config' | 'lifecycle' | 'log' | 'newId' | 'rateLimiter'>

export const serverHooks = (deps: HookDeps, allowedMethods: AllowedMethods) => {
  const { config, lifecycle, log, newId, rateLimiter } = deps
  const { edges } = config
  const bodyLimits = { ...config, bodyTimeoutMs: edges.bodyTimeoutMs }
  const started = new WeakMap<Request, number>()
  const { address, tokensPerAddress } = config.limits.rates
  const countsAddresses = address > 0 || tokensPerAddress > 0
  const logsRequests = log.isLevelEnabled('info')
  const security = securityHeaders(edges)
  const cors = createCors(edges.corsOrigins)

  /** 405 for a known path; for OPTIONS, which every known path takes, the answer itself. */
  function answerMethod(request: Request, requestId: string): Response | DomainError {
    const allowed = allowedMethods(pathOf(request.url))
    if (allowed.length === 0) return new DomainError('not_found')
    const headers = { Allow: allowed.join(', '), 'X-Request-Id': requestId }
    if (request.method === 'OPTIONS') {
      const preflight = cors.preflight(request.headers.get('origin'), allowed)
      return new Response(null, { status: 204, headers: { ...headers, ...preflight } })
    }
    const refusal = new DomainError('method_not_allowed', { detail: `This path takes ${headers.Allow}.` })
    return problemResponse(refusal, requestId, headers)
  }

  return new Elysia({ name: 'matchday/server-hooks' })
    .onRequest(({ request, set, server }) => {
      if (logsRequests) started.set(request, performance.now())
      const given = request.headers.get('x-request-id')
      const { headers } = set
      headers['x-request-id'] = given && SANE_REQUEST_ID.test(given) ? given : newId()
      Object.assign(headers, security)
      cors.addTo(headers, request.headers.get('origin'))
      // Told in time, a client opens its next connection elsewhere, and none is cut in the middle.
      if (lifecycle.stopping) headers.Connection = 'close'
      refuseBadHost(request)
      if (countsAddresses) {
        const peer = server?.requestIP(request)?.address
        const address = addressGroup(clientAddress(request.headers, peer, edges))
        limitAddress(rateLimiter, pathOf(request.url), address, allowances =>
          Object.assign(headers, rateLimitHeaders(allowances)),
        )
      }
      refuseBadUrl(request.url)
    })
    .onParse({ as: 'global' }, ({ request }) => readJsonBody(request, bodyLimits))
    .onError({ as: 'global' }, ({ error, request, set }) => {
      const requestId = String(set.headers['x-request-id'])
      const answer = error instanceof NotFoundError ? answerMethod(request, requestId) : toDomainError(error)
      if (answer instanceof Response) {
        set.status = answer.status
        return answer
      }
      if (catalogue[answer.code].status >= 500 && !(error instanceof DomainError)) {
        log.error({ requestId, code: answer.code, error: loggable(error) }, 'request failed')
      }
      set.status = catalogue[answer.code].status
      return problemResponse(answer, requestId, { 'X-Request-Id': requestId })
    })
    .onAfterResponse({ as: 'global' }, ({ request, set }) => {
      if (!logsRequests) return
      log.info(
        {
          requestId: set.headers['x-request-id'],
          method: request.method,
          path: pathOf(request.url),
          status: set.status ?? 200,
          ms: Math.round((performance.now() - (started.get(request) ?? Number.NaN)) * 100) / 100,
        },
        'request',
      )
    })
}
