/** Hooks of every request: id, limits, headers, log line, checks of body and query, errors as problems. */

import { Elysia, NotFoundError } from 'elysia'
import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import type { Config } from '../../config/config.ts'
import { loggable } from '../../core/loggable.ts'
import { DomainError, problemTypes } from '../../core/problems.ts'
import { logSecurityEvent } from '../../core/security-events.ts'
import type { AppSources } from '../../core/sources.ts'
import { limitAddress } from '../rate-limits/policies.ts'
import { rateLimitHeaders } from '../rate-limits/rate-limit-headers.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { readJsonBody } from './body.ts'
import { addressGroup, clientAddress } from './client-address.ts'
import { sharedResponse } from './conditional.ts'
import { createCors } from './cors.ts'
import { problemResponse, toDomainError } from './problem.ts'
import { pathOf, refuseBadUrl, requireHost } from './query.ts'
import { createRequestLog } from './request-log.ts'
import { type Additions, createResponses } from './responses.ts'
import type { RouteFacts } from './route-facts.ts'
import { securityHeaders } from './security-headers.ts'
import { createWriteAdmission } from './write-admission.ts'

/** A client's `X-Request-Id` is used if it matches. */
const VALID_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/

interface ServerContext {
  /** The methods of a path; empty for an unknown path. */
  allowedMethods(path: string): string[]
  /** The address of the connection of a request. */
  peerOf(request: Request): string | undefined
  facts: RouteFacts
}

type HookDeps = {
  config: Config
  db: Database
  elapsed: AppSources['elapsed']
  lifecycle: { stopping: boolean }
  log: Logger
  newId: AppSources['newId']
  randomBytes: AppSources['randomBytes']
  rateLimiter: RateLimiter
}

export const serverHooks = (deps: HookDeps, { allowedMethods, peerOf, facts }: ServerContext) => {
  const { config, db, elapsed, lifecycle, log, newId, randomBytes, rateLimiter } = deps
  const { network } = config
  const bodyLimits = { ...config, bodyTimeoutMs: network.bodyTimeoutMs }
  const cors = createCors(network)
  const responses = createResponses(securityHeaders(network))
  const requestLog = createRequestLog(log)
  const admission = createWriteAdmission({
    load: () => db.writeLoad(),
    maxWaitMs: config.limits.maxWriteWaitMs,
    elapsed,
    random: () => (randomBytes(1)[0] ?? 0) / 255,
    log,
  })

  /** 404, with a similar path if there is one. */
  function notFound(path: string): DomainError {
    const trimmed = path.replace(/\/{1,8}$/, '')
    const similar = [trimmed, `/api${trimmed}`].find(
      known => known !== path && allowedMethods(known).length > 0,
    )
    return new DomainError('not_found', similar === undefined ? {} : { detail: `Did you mean ${similar}?` })
  }

  /** 405 for a known path; for OPTIONS, which every known path accepts, the response itself. */
  function respondToMethod(request: Request, requestId: string): Response | DomainError {
    const allowed = allowedMethods(pathOf(request.url))
    // With an allowed method the router knows the path by another spelling only, such as `/docs/`.
    const unrouted = request.method !== 'OPTIONS' && allowed.includes(request.method)
    if (allowed.length === 0 || unrouted) return notFound(pathOf(request.url))
    const headers = { Allow: allowed.join(', ') }
    if (request.method === 'OPTIONS') {
      const origin = request.headers.get('origin')
      if (origin !== null && !cors.allows(origin)) {
        const path = pathOf(request.url)
        log.warn({ requestId, path, origin }, 'preflight refused: CORS_ORIGINS does not list the origin')
      }
      const preflight = cors.preflight(origin, allowed)
      return new Response(null, { status: 204, headers: { ...headers, ...preflight } })
    }
    const refusal = new DomainError('method_not_allowed', { detail: `This path accepts ${headers.Allow}.` })
    return problemResponse(refusal, requestId, headers)
  }

  function countAddress(request: Request, path: string, headers: Record<string, string | number>) {
    const addressOf = () => addressGroup(clientAddress(request.headers, peerOf(request), network))
    limitAddress(rateLimiter, facts.issuesTokens(path), addressOf, allowances =>
      Object.assign(headers, rateLimitHeaders(allowances)),
    )
  }

  /** Sends a response in memory before routing: the promises of a handler would add a third to its cost. */
  function respondFromMemory(request: Request, path: string, set: Additions): Response | undefined {
    if (request.method !== 'GET' || request.url.includes('?')) return undefined
    const value = facts.ready.get(path)?.()
    if (value === undefined) return undefined
    const shared = sharedResponse(value, request, set)
    return shared && responses.ofShared(shared, set)
  }

  return (
    new Elysia({ name: 'matchday/server-hooks' })
      // Elysia awaits every hook that may return a promise, and builds what a hook's parameters name (`server` and
      // `headers` are expensive): this hook is synchronous and names as little as possible.
      .onRequest(({ request, set }) => {
        const { url } = request
        const path = pathOf(url)
        const given = request.headers.get('x-request-id')
        const requestId = given !== null && VALID_REQUEST_ID.test(given) ? given : newId()
        requestLog.begin(request, requestId)
        // A new object of constant shape is faster than the one of Elysia.
        set.headers = { 'x-request-id': requestId }
        cors.addTo(set.headers, request)
        // Clients open new connections to other instances, so that closing these interrupts no request.
        if (lifecycle.stopping) set.headers.Connection = 'close'
        const probe = facts.isProbe(path)
        // Probes in HTTP/1.0 need no Host header, and Bun then builds no URL.
        if (!probe || request.headers.has('host')) requireHost(request)
        if (!probe) {
          countAddress(request, path, set.headers)
          refuseBadUrl(url)
        }
        const retryAfter = admission.admit(request)
        // Not in the request log: `write-admission.ts` logs all refusals of a second in one line.
        if (retryAfter !== null) {
          return responses.of(problemResponse(new DomainError('overloaded', { retryAfter }), requestId), set)
        }
        const response = respondFromMemory(request, path, set)
        if (response) requestLog.end(request, response.status)
        return response
      })
      .onParse({ as: 'global' }, async ({ request }) => {
        await admission.begin()
        return readJsonBody(request, bodyLimits)
      })
      .mapResponse({ as: 'global' }, ({ responseValue, request, set }) => {
        admission.end(request)
        const response = responses.of(responseValue, set)
        requestLog.end(request, response.status)
        return response
      })
      .onError({ as: 'global' }, ({ error, request, set }) => {
        admission.end(request)
        const requestId = String(set.headers['x-request-id'])
        let response =
          error instanceof NotFoundError ? respondToMethod(request, requestId) : toDomainError(error)
        if (response instanceof DomainError) {
          if (problemTypes[response.code].status >= 500 && !(error instanceof DomainError)) {
            log.error({ requestId, code: response.code, error: loggable(error) }, 'request failed')
          }
          const { security } = response.explanation
          if (security) {
            const { event, userId } = security
            logSecurityEvent(log, event, { requestId, path: pathOf(request.url), userId })
          }
          response = problemResponse(response, requestId)
        }
        requestLog.end(request, response.status)
        return responses.of(response, set)
      })
  )
}
