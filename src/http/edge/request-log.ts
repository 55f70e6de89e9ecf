/** One log line per request: id, method, path, status, duration. Never a query, a header, a body or an address. */
import type { Context } from 'elysia'
import type { Logger } from 'pino'
import { pathOf } from './query.ts'

/** `route`: the declared path; undefined where none was reached. */
export type RequestLogObserver = (
  request: Request,
  route: string | undefined,
  status: number,
  ms: number,
) => void

export function createRequestLog(log: Logger, observe: RequestLogObserver | undefined) {
  const begun = new WeakMap<Request, { requestId: string; at: number }>()
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
      const ms = Math.round(duration * 100) / 100
      log.info({ requestId, method: request.method, path: pathOf(request.url), status, ms }, 'request')
    },
  }
}

/** The id under which a request is logged. */
export const requestIdOf = ({ headers }: Pick<Context['set'], 'headers'>) => String(headers['x-request-id'])
