/** Hooks of every request: id, limits, headers, log line, checks of body and query, errors as problems. */

import { Elysia, NotFoundError } from 'elysia'
import type { Logger } from 'pino'
import type { Database } from '../../../../db/index.ts'
import type { Subject } from '../../../core/caller.ts'
import { DomainError } from '../../../core/problems.ts'
import { logSecurityEvent } from '../../../core/security-events.ts'
import type { AppSources } from '../../../core/sources.ts'
import type { Tracer } from '../../../core/tracer.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { Config } from '../../config/config.ts'
import {
  addLimits,
  judgeCode,
  judgeSecret,
  limitAddress,
  limitFailures,
  limitNotice,
  limitWithdrawal,
  type RateLimitHeaders,
} from '../rate-limits/policies.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { announcedBytes, type Bodies, isReadWhole, parseBody, receiveBody, receiveBytes } from './body.ts'
import { addressGroup, clientAddress } from './client-address.ts'
import { createCors } from './cors.ts'
import { createLineLimit, cutForLog, describeUnknownPath } from './logged-path.ts'
import { problemResponse, toDomainError } from './problem.ts'
import { checkUrl, pathOf, requireHost } from './query.ts'
import { createRequestLog, type RequestLogObserver } from './request-log.ts'
import { createResponder } from './responses.ts'
import type { RouteFacts } from './route-facts.ts'
import { securityHeaders } from './security-headers.ts'
import { createUnfinishedBodies } from './unfinished-bodies.ts'
import { createWriteAdmission, WRITES } from './write-admission.ts'

/** Every route of the application has it in its context: what is guessed or sent without an account is limited. */
export interface Failures {
  /**
   * Runs the expensive work on a secret that is refused without a 401. Counts refusals.
   * @throws DomainError `rate_limited` after too many refused secrets of the address
   */
  judgeSecret<Result>(
    request: Request,
    work: () => Promise<Result>,
    isRefusal: (error: unknown) => boolean,
  ): Promise<Result>
  /**
   * Runs the work on a code. Counts those that are unknown.
   * @throws DomainError `rate_limited` after too many unknown codes of the caller or the address
   */
  judgeCode<Result>(
    request: Request,
    caller: Subject,
    work: () => Promise<Result>,
    isUnknown: (error: unknown) => boolean,
  ): Promise<Result>
  /** Counts an attempt to name what is withdrawn from without sign-in. @throws DomainError `rate_limited` */
  countWithdrawal(request: Request, named: readonly string[]): void
  /** Counts a notice of illegal content. @throws DomainError `rate_limited` */
  countNotice(request: Request): void
}

/** A client's `X-Request-Id` is used if it matches. */
const VALID_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/

/**
 * Called for each response. `operation`: its id; undefined where none was reached: unknown paths, pages, and what is refused
 * before routing. Must be fast and must not throw.
 */
export type RequestObserver = (operation: string | undefined, status: number, ms: number) => void

interface ServerContext {
  /** The methods of a path; empty for an unknown path. */
  allowedMethods(path: string): string[]
  /** The declared path that matches a path; undefined for an unknown path. */
  templateOf(path: string): string | undefined
  /** The address of the connection of a request. */
  peerOf(request: Request): string | undefined
  facts: RouteFacts
  /** The refusal as a page, if the client is a browser that opens a page or sends its form. */
  refusalPage?(request: Request, refusal: DomainError): Response | undefined
}

interface HookDeps extends Pick<AppSources, 'elapsed' | 'newId' | 'randomBytes'> {
  config: Config
  db: Database
  lifecycle: { stopping: boolean }
  log: Logger
  observers: { request?: RequestObserver | undefined }
  rateLimiter: RateLimiter
  tracer: Tracer | undefined
}

export const serverHooks = (
  deps: HookDeps,
  { allowedMethods, templateOf, peerOf, facts, refusalPage }: ServerContext,
) => {
  const { config, db, elapsed, lifecycle, log, newId, observers, randomBytes, rateLimiter, tracer } = deps
  const { network } = config
  const cors = createCors(network)
  const respond = createResponder(securityHeaders(network))
  const { request: observeRequest } = observers
  const observe: RequestLogObserver = ({ method }, route, status, ms) => {
    const operation = facts.operationOf(method, route)
    observeRequest?.(operation, status, ms)
    tracer?.describeRequest(operation, route)
  }
  const requestLog = createRequestLog(log, {
    observe: observeRequest || tracer ? observe : undefined,
    templateOf,
    isProbe: facts.isProbe,
  })
  const mayLog = createLineLimit(log)
  const admission = createWriteAdmission({
    load: () => db.writeLoad(),
    maxWaitMs: config.limits.maxWriteWaitMs,
    elapsed,
    random: () => (randomBytes(1)[0] ?? 0) / 255,
    log,
  })
  const unfinished = createUnfinishedBodies(config.limits.unfinishedBodies, log, elapsed)
  const maxBodyBytes = (path: string) => Math.max(config.maxBodyBytes, facts.maxBodyBytes(path) ?? 0)

  const bodies: Bodies = {
    receive: request => receiveWhole(request, receiveBody),
    readBytes: request => receiveWhole(request, receiveBytes),
    async read(request, schema) {
      await bodies.receive(request)
      return parseBody(request, config, schema)
    },
  }

  async function receiveWhole<Body>(
    request: Request,
    receive: (request: Request, limits: Parameters<typeof receiveBody>[1]) => Promise<Body>,
  ): Promise<Body> {
    const { bodyTimeoutMs } = network
    const body = await receive(request, {
      maxBodyBytes: maxBodyBytes(pathOf(request.url)),
      bodyTimeoutMs,
      arrival: unfinished.arrivalOf(request),
    })
    unfinished.end(request)
    const retryAfter = admission.admit(request)
    if (retryAfter !== null) throw new DomainError(transportProblems.overloaded, { retryAfter })
    return body
  }

  /**
   * A write is in flight when its body is whole; before, the body counts as unfinished.
   * @throws DomainError `overloaded`, `payload_too_large`
   */
  function admitWrite(request: Request, path: string): void {
    const bytes = announcedBytes(request, maxBodyBytes(path))
    // No operation reads the body of a DELETE.
    const isWhole = bytes === null || request.method === 'DELETE'
    const retryAfter = isWhole ? admission.admit(request) : admission.check(request)
    if (retryAfter !== null) throw new DomainError(transportProblems.overloaded, { retryAfter })
    if (bytes === null) return
    unfinished.begin(request, {
      address: addressOf(request),
      caller: request.headers.get('authorization') ?? '',
      anyone: facts.readsBodyOfAnyone(path),
      bytes: isReadWhole(request) ? bytes : 0,
    })
  }

  const end = (request: Request) => {
    admission.end(request)
    unfinished.end(request)
  }

  const addressOf = (request: Request) =>
    addressGroup(clientAddress(request.headers, peerOf(request), network))

  const describePath = (path: string) => templateOf(path) ?? describeUnknownPath(path)

  /** 404, with a similar path if there is one. */
  function notFound(path: string): DomainError {
    const trimmed = path.replace(/\/{1,8}$/, '')
    const similar = [trimmed, `/api${trimmed}`].find(
      known => known !== path && allowedMethods(known).length > 0,
    )
    return new DomainError(
      transportProblems.not_found,
      similar === undefined ? {} : { detail: `Did you mean ${similar}?` },
    )
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
        logRefusedOrigin(requestId, pathOf(request.url), origin)
      }
      const preflight = cors.preflight(origin, allowed)
      return new Response(null, { status: 204, headers: { ...headers, ...preflight } })
    }
    const refusal = new DomainError(transportProblems.method_not_allowed, {
      detail: `This path accepts ${headers.Allow}.`,
    })
    return refuse(request, refusal, requestId, headers)
  }

  /** A page has the headers of the problem document that it replaces. */
  function refuse(
    request: Request,
    refusal: DomainError,
    requestId: string,
    headers?: Record<string, string>,
  ) {
    const document = problemResponse(refusal, requestId, headers)
    const page = refusalPage?.(request, refusal)
    if (!page) return document
    for (const [name, value] of document.headers) if (name !== 'content-type') page.headers.set(name, value)
    return page
  }

  function logRefusedOrigin(requestId: string, path: string, origin: string): void {
    if (!mayLog('preflight', 'further preflights refused: CORS_ORIGINS does not list their origins')) return
    const line = { requestId, path: describePath(path), origin: cutForLog(origin) }
    log.warn(line, 'preflight refused: CORS_ORIGINS does not list the origin')
  }

  const failures: Failures = {
    judgeSecret: (request, work, isRefusal) =>
      judgeSecret(rateLimiter, () => addressOf(request), work, isRefusal),
    judgeCode: (request, caller, work, isUnknown) =>
      judgeCode(rateLimiter, caller, () => addressOf(request), work, isUnknown),
    countWithdrawal: (request, named) => limitWithdrawal(rateLimiter, named, () => addressOf(request)),
    countNotice: request => limitNotice(rateLimiter, () => addressOf(request)),
  }

  /** A secret that was refused: beyond the limit of its address the refusal is `rate_limited`. */
  function countRefusal(refusal: DomainError, request: Request, report: (limits: RateLimitHeaders) => void) {
    try {
      limitFailures(rateLimiter, () => addressOf(request), report)
      return refusal
    } catch (error) {
      return toDomainError(error, request)
    }
  }

  return (
    new Elysia({ name: 'matchday/server-hooks' })
      .decorate('bodies', bodies)
      .decorate('failures', failures)
      .decorate('defaultLanguage', config.defaultLanguage)
      // Elysia awaits every hook that may return a promise, and builds what a hook's parameters name (`server` and
      // `headers` are expensive): this hook is synchronous and names as little as possible.
      .onRequest(({ request, set }) => {
        const path = pathOf(request.url)
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
          limitAddress(
            rateLimiter,
            () => addressOf(request),
            limits => Object.assign(set.headers, limits),
          )
          checkUrl(request)
        }
        if (WRITES.has(request.method)) admitWrite(request, path)
      })
      // Reads no body, and keeps Elysia from doing it: `operation` does, once the caller is known.
      .onParse({ as: 'global' }, async () => {
        await admission.begin()
        return null
      })
      .mapResponse({ as: 'global' }, ({ responseValue, request, route, set }) => {
        end(request)
        const response = respond(responseValue, set)
        requestLog.end(request, response.status, route)
        return response
      })
      .onError({ as: 'global' }, ({ error, request, route, set }) => {
        end(request)
        const requestId = String(set.headers['x-request-id'])
        let response =
          error instanceof NotFoundError ? respondToMethod(request, requestId) : toDomainError(error, request)
        if (response instanceof DomainError) {
          if (response.type.status === 401 && facts.judgesSecret(request.method, route))
            response = countRefusal(response, request, limits => addLimits(set.headers, limits))
          if (response.type.status >= 500 && !(error instanceof DomainError)) {
            log.error({ requestId, code: response.code, error }, 'request failed')
          }
          const { detail, limits, security } = response.explanation
          if (limits) addLimits(set.headers, limits)
          // The detail of an unknown path is a path.
          const logged = response.code === 'not_found' ? undefined : detail
          log.debug({ requestId, code: response.code, detail: logged }, 'request refused')
          // Refusals because of overload are logged once a second by the code that refuses.
          if (response.code === 'overloaded') requestLog.endUnlogged(request, 503)
          if (security) {
            const { event, ...members } = security
            // The path of the operation, without a redemption code. A request that is refused before routing has none.
            logSecurityEvent(log, event, {
              requestId,
              path: route || describePath(pathOf(request.url)),
              ...members,
            })
          }
          response = refuse(request, response, requestId)
        }
        requestLog.end(request, response.status, route)
        return respond(response, set)
      })
  )
}

/** Guarantee of the cast: `serverHooks` decorates every route of the application, which the types of a group do not know. */
export const failuresOf = ({ failures }: { failures?: Failures; request: Request }) => ({
  failures: failures as Failures,
})

/** For a group of personal or momentary responses: they are not cached, unless the operation sets `Cache-Control`. */
export const uncachedInGroup = () =>
  new Elysia({ name: 'matchday/uncached' }).onAfterHandle({ as: 'scoped' }, ({ set: { headers } }) => {
    if (headers['Cache-Control'] === undefined && headers['cache-control'] === undefined)
      headers['Cache-Control'] = 'no-store'
  })
