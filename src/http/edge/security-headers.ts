/** Headers that every response carries for browsers (OWASP REST Security Cheat Sheet). */
import type { NetworkConfig } from '../../config/network.ts'

/** A response with a policy of its own, such as the pages of /docs, keeps it. */
export function securityHeaders({ hstsSeconds }: Pick<NetworkConfig, 'hstsSeconds'>): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    // Only where TLS ends in front of us: over plain HTTP browsers ignore it (RFC 6797 §7.2).
    ...(hstsSeconds > 0 ? { 'Strict-Transport-Security': `max-age=${hstsSeconds}` } : {}),
  }
}
