/**
 * Cross-origin requests of browsers, by an allow-list (Fetch Standard). Own code: `@elysiajs/cors` answers
 * OPTIONS on every path, so that unknown paths would not be 404.
 */

/** Response headers that a page may read in addition to the safelisted ones. */
const EXPOSED = [
  ...['ETag', 'Idempotent-Replayed', 'RateLimit', 'RateLimit-Policy', 'Retry-After'],
  ...['WWW-Authenticate', 'X-Request-Id'],
].join(', ')
/** What a page may send. Not the browser's credentials: only the token identifies a caller. */
const ACCEPTED = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id'
/** Seconds; no browser keeps a preflight for longer than two hours. */
const PREFLIGHT_MAX_AGE = '7200'

type Headers = Record<string, string | number>

export interface Cors {
  /** Adds the headers that every response to this request needs. */
  addTo(headers: Headers, request: Request): void
  /** The headers of a preflight response; only `Vary` where the origin is not allowed. */
  preflight(origin: string | null, methods: string[]): Record<string, string>
}

export function createCors(allowed: readonly string[]): Cors {
  const origins = new Set(allowed)
  return {
    addTo(headers, request) {
      // No origin is allowed: responses do not depend on it.
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
