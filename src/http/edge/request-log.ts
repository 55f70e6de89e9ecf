/** One log line per request: id, method, path, status, duration. Never a query, a header, a body or an address. */
import type { Logger } from 'pino'
import { pathOf } from './query.ts'

export interface RequestLog {
  begin(request: Request, requestId: string): void
  /** Writes the line at the first call for a request; later calls do nothing. */
  end(request: Request, status: number): void
}

export function createRequestLog(log: Logger): RequestLog {
  if (!log.isLevelEnabled('info')) return { begin() {}, end() {} }
  const begun = new WeakMap<Request, { requestId: string; at: number }>()
  return {
    begin(request, requestId) {
      begun.set(request, { requestId, at: performance.now() })
    },
    end(request, status) {
      const known = begun.get(request)
      if (!known) return
      begun.delete(request)
      const { requestId, at } = known
      const ms = Math.round((performance.now() - at) * 100) / 100
      log.info({ requestId, method: request.method, path: pathOf(request.url), status, ms }, 'request')
    },
  }
}
