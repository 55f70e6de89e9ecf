/** One log line per request: id, method, route, status, duration. Never a value of its path, a query, a header, a body or an address. */
import type { Context } from 'elysia'
import type { Logger } from 'pino'
import { createLineLimit, describeUnknownPath } from './logged-path.ts'
import { pathOf } from './query.ts'

/** `route`: the declared path; undefined where none was reached. */
export type RequestLogObserver = (
  request: Request,
  route: string | undefined,
  status: number,
  ms: number,
) => void

interface Options {
  observe: RequestLogObserver | undefined
  /** The declared path that matches a path; undefined for an unknown path. */
  templateOf(path: string): string | undefined
  isProbe(path: string): boolean
}

export function createRequestLog(log: Logger, { observe, templateOf, isProbe }: Options) {
  const begun = new WeakMap<Request, { requestId: string; at: number }>()
  const mayLog = createLineLimit(log)
  return {
    begin(request: Request, requestId: string): void {
      if (!observe && !log.isLevelEnabled('info')) return
      begun.set(request, { requestId, at: performance.now() })
    },
    /** Writes the line at the first call for a request; later calls do nothing. */
    end(request: Request, status: number, route: string | undefined): void {
      const known = begun.get(request)
      if (!known) return
      begun.delete(request)
      const { requestId, at } = known
      const duration = performance.now() - at
      observe?.(request, route, status, duration)
      const path = pathOf(request.url)
      const template = route || templateOf(path)
      if (template === undefined && !mayLog('unknown path', 'requests of unknown paths')) return
      const ms = Math.round(duration * 100) / 100
      const line = {
        requestId,
        method: request.method,
        path: template ?? describeUnknownPath(path),
        status,
        ms,
      }
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (isRead && isProbe(path)) log.debug(line, 'request')
      else log.info(line, 'request')
    },
    /** Ends a request without a line: others say how many were refused. */
    endUnlogged(request: Request, status: number): void {
      if (begun.delete(request)) observe?.(request, undefined, status, 0)
    },
  }
}

/** The id under which a request is logged. */
export const requestIdOf = ({ headers }: Pick<Context['set'], 'headers'>) => String(headers['x-request-id'])
