/** Which URLs of the provider may be requested. A discovery document is untrusted input. */
import { isInternalHost } from '../../core/ssrf-guard.ts'

export interface UrlRules {
  /** Set if the issuer uses https: then no endpoint may use plain http. */
  httpsOnly: boolean
  /** Set in production: no loopback or private address. `createGuardedFetch` checks what a host name resolves to. */
  publicOnly: boolean
  /** Host names that may be private. */
  allowPrivate: string[]
}

/** The normalised URL if it is permitted, otherwise null. */
export function permittedUrl(
  value: unknown,
  { httpsOnly, publicOnly, allowPrivate }: UrlRules,
): string | null {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (!url || url.username || url.password || !/^https?:$/.test(url.protocol)) return null
  if (httpsOnly && url.protocol !== 'https:') return null
  if (publicOnly && isInternalHost(url.hostname) && !allowPrivate.includes(url.hostname)) return null
  return url.href
}
