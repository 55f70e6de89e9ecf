/** Headers of every response, for browsers (OWASP REST Security Cheat Sheet). */
import type { NetworkConfig } from '../../config/network.ts'

/** A response that sets one of these headers itself, such as the pages of /docs, keeps its own value. */
export function securityHeaders({ hstsSeconds }: Pick<NetworkConfig, 'hstsSeconds'>): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    // Only behind a proxy that terminates TLS: over plain HTTP browsers ignore it (RFC 6797 §7.2).
    ...(hstsSeconds > 0 ? { 'Strict-Transport-Security': `max-age=${hstsSeconds}` } : {}),
  }
}
