/**
 * Cross-origin requests of browsers, by an allow-list (Fetch Standard). Own code, since `@elysiajs/cors` answers
 * OPTIONS on every path, known or not, and would take 404 and 405 out of our hands.
 */

/** What a page may read beside the headers that every page may. */
const EXPOSED = [
  ...['ETag', 'Idempotent-Replayed', 'RateLimit', 'RateLimit-Policy', 'Retry-After'],
  ...['WWW-Authenticate', 'X-Request-Id'],
].join(', ')
/** What a page may send. No credentials of the browser's: callers are known by their token alone. */
const ACCEPTED = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id'
/** Seconds; no browser keeps a preflight for longer than two hours. */
const PREFLIGHT_MAX_AGE = '7200'

type Headers = Record<string, string | number>

export interface Cors {
  /** Adds what any answer to this request needs. */
  addTo(headers: Headers, request: Request): void
  /** The headers of a preflight's answer; only `Vary` where the origin is not allowed. */
  preflight(origin: string | null, methods: string[]): Record<string, string>
}

export function createCors(allowed: readonly string[]): Cors {
  const origins = new Set(allowed)
  return {
    addTo(headers, request) {
      // No origin is allowed: the answer is the same for all.
      if (origins.size === 0) return
      headers.Vary = 'Origin'
      const origin = request.headers.get('origin')
      if (origin === null || !origins.has(origin)) return
      headers['Access-Control-Allow-Origin'] = origin
      headers['Access-Control-Expose-Headers'] = EXPOSED
    },
    preflight(origin, methods) {
      if (origins.size === 0) return {}
      const vary = { Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers' }
      if (origin === null || !origins.has(origin)) return vary
      return {
        ...vary,
        'Access-Control-Allow-Methods': methods.join(', '),
        'Access-Control-Allow-Headers': ACCEPTED,
        'Access-Control-Max-Age': PREFLIGHT_MAX_AGE,
      }
    },
  }
}
