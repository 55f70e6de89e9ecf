/**
 * Cross-origin requests of browsers, by an allow-list (Fetch Standard). `@elysiajs/cors` is not used: it answers OPTIONS on
 * every path, so that an unknown path would not be 404.
 */

import type { NetworkConfig } from '../../config/network.ts'
import { addVary } from './responses.ts'

/** Response headers that a page may read in addition to the safelisted ones. */
const EXPOSED = [
  ...['ETag', 'Idempotent-Replayed', 'RateLimit', 'RateLimit-Policy', 'Retry-After'],
  ...['WWW-Authenticate', 'X-Request-Id'],
].join(', ')
/** Request headers that a page may send. Cookies are not allowed: only the token identifies a caller. */
const ACCEPTED = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match', 'Last-Event-ID'],
  ...['traceparent', 'tracestate', 'X-Request-Id'],
].join(', ')
/** Seconds: two hours, the maximum of browsers based on Chromium. */
const PREFLIGHT_MAX_AGE = '7200'

type Headers = Record<string, string | number>
type CorsConfig = Pick<NetworkConfig, 'corsOrigins' | 'corsLoopback'>

/** The origin of a page on this machine, on any port. */
const LOOPBACK_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

export function createCors({ corsOrigins, corsLoopback }: CorsConfig) {
  const origins = new Set(corsOrigins)
  const enabled = origins.size > 0 || corsLoopback
  /** Whether pages of this origin may call the API. */
  const allows = (origin: string) => origins.has(origin) || (corsLoopback && LOOPBACK_ORIGIN.test(origin))
  return {
    allows,
    /** Adds the headers that every response to this request needs. */
    addTo(headers: Headers, request: Request): void {
      // No origin is allowed: responses do not depend on it.
      if (!enabled) return
      addVary(headers, 'Origin')
      const origin = request.headers.get('origin')
      if (origin === null || !allows(origin)) return
      headers['Access-Control-Allow-Origin'] = origin
      headers['Access-Control-Expose-Headers'] = EXPOSED
    },
    /** The headers of a preflight response; only `Vary` if the origin is not allowed. */
    preflight(origin: string | null, methods: string[]): Record<string, string> {
      if (!enabled) return {}
      const vary = { Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers' }
      if (origin === null || !allows(origin)) return vary
      return {
        ...vary,
        'Access-Control-Allow-Methods': methods.join(', '),
        'Access-Control-Allow-Headers': ACCEPTED,
        'Access-Control-Max-Age': PREFLIGHT_MAX_AGE,
      }
    },
  }
}
