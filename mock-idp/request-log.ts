import { decodeJwt } from 'jose'
import type { Clock } from './clock.ts'

/** One logged request. It has no query, body or header, so it contains no secret. */
export interface LoggedRequest {
  /** Starts at 1 after each reset. */
  id: number
  /** ISO 8601, by the provider's clock. */
  at: string
  method: string
  path: string
  /** The subject of the request's token or sign-in. Not verified. */
  sub?: string
  /** The id of the fault that applied. */
  fault?: string
}

const capacity = 1000

/** The last 1000 requests, without control calls and static files. */
export class RequestLog {
  readonly #clock: Clock
  #entries: LoggedRequest[] = []
  #byRequest = new WeakMap<Request, LoggedRequest>()
  #count = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  record(request: Request): void {
    const entry: LoggedRequest = {
      id: ++this.#count,
      at: new Date(this.#clock.now()).toISOString(),
      method: request.method,
      path: new URL(request.url).pathname,
      sub: subjectOf(request.headers.get('authorization')),
    }
    this.#byRequest.set(request, entry)
    this.#entries.push(entry)
    if (this.#entries.length > capacity) this.#entries.shift()
  }

  /** Adds data of a request that is known only after it was recorded. */
  note(request: Request, known: Pick<LoggedRequest, 'sub' | 'fault'>): void {
    const entry = this.#byRequest.get(request)
    if (entry) Object.assign(entry, known)
  }

  /** Oldest first; only requests of exactly `path` when it is given. */
  list(path?: string): LoggedRequest[] {
    return this.#entries.filter(entry => path === undefined || entry.path === path)
  }

  clear(): void {
    this.#entries = []
  }

  reset(): void {
    this.clear()
    this.#count = 0
  }
}

function subjectOf(authorization: string | null): string | undefined {
  const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (!token) return undefined
  try {
    return decodeJwt(token).sub?.slice(0, 255)
  } catch {
    return undefined
  }
}
