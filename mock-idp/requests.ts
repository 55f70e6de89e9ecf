import { decodeJwt } from 'jose'
import type { Clock } from './clock.ts'

/** One request as the log keeps it: no query, no body, no header, so no secret. */
export interface LoggedRequest {
  /** Counts up from 1 since the last reset. */
  id: number
  /** ISO 8601, by the provider's clock. */
  at: string
  method: string
  path: string
  /** The subject that the request's token, or its sign-in, was about. Not verified. */
  sub?: string
  /** The fault that answered. */
  fault?: string
}

const capacity = 1000

/** The last 1000 requests, leaving out control calls and what the pages are dressed with. */
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
    }
    const sub = subjectOf(request.headers.get('authorization'))
    if (sub !== undefined) entry.sub = sub
    this.#byRequest.set(request, entry)
    this.#entries.push(entry)
    if (this.#entries.length > capacity) this.#entries.shift()
  }

  /** Says whom a request was about, once that is known. */
  attribute(request: Request, sub: string): void {
    const entry = this.#byRequest.get(request)
    if (entry) entry.sub = sub
  }

  /** Says which fault answered a request. */
  blame(request: Request, fault: string): void {
    const entry = this.#byRequest.get(request)
    if (entry) entry.fault = fault
  }

  /** Oldest first; only those of exactly that path when one is given. */
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
