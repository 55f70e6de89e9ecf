/** What surrounds every request: its id, its log line, its body and query checks, and its errors as problems. */
import { Elysia, NotFoundError } from 'elysia'
import type { Deps } from '../deps.ts'
import { catalogue, DomainError } from '../problems.ts'
import { readJsonBody } from './body.ts'
import { loggable } from './loggable.ts'
import { problemResponse, toDomainError } from './problem.ts'
import { refuseBadUrl } from './query.ts'

/** A client's own request id is kept when it is sane. */
const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/

export type AllowedMethods = (path: string) => string[]

export const serverHooks = (deps: Pick<Deps, 'config' | 'log' | 'newId'>, allowedMethods: AllowedMethods) => {
  const { config, log, newId } = deps
  const started = new WeakMap<Request, number>()

  return new Elysia({ name: 'matchday/server-hooks' })
    .onRequest(({ request, set }) => {
      started.set(request, performance.now())
      const given = request.headers.get('x-request-id')
      set.headers['x-request-id'] = given && SANE_REQUEST_ID.test(given) ? given : newId()
      refuseBadUrl(request.url)
    })
    .onParse({ as: 'global' }, ({ request }) => readJsonBody(request, config))
    .onError({ as: 'global' }, ({ error, request, set }) => {
      const requestId = String(set.headers['x-request-id'])
      let problem = toDomainError(error)
      const headers: Record<string, string> = {}
      if (error instanceof NotFoundError) {
        const allowed = allowedMethods(new URL(request.url).pathname)
        if (allowed.length > 0) {
          problem = new DomainError('method_not_allowed', {
            detail: `This path takes ${allowed.join(', ')}.`,
          })
          headers.Allow = allowed.join(', ')
        }
      }
      if (catalogue[problem.code].status >= 500 && !(error instanceof DomainError)) {
        log.error({ requestId, code: problem.code, error: loggable(error) }, 'request failed')
      }
      set.status = catalogue[problem.code].status
      return problemResponse(problem, requestId, { ...headers, 'X-Request-Id': requestId })
    })
    .onAfterResponse({ as: 'global' }, ({ request, set }) => {
      log.info(
        {
          requestId: set.headers['x-request-id'],
          method: request.method,
          path: new URL(request.url).pathname,
          status: set.status ?? 200,
          ms: Math.round((performance.now() - (started.get(request) ?? Number.NaN)) * 100) / 100,
        },
        'request',
      )
    })
}
