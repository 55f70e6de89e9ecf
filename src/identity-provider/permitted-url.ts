/** Where the provider may be sought. A discovery document is somebody else's text: it does not get to choose freely. */
import { isInternalHost } from '../core/ssrf-guard.ts'

export interface UrlRules {
  /** A provider at https is never left for plain http. */
  httpsOnly: boolean
  /** In production: no loopback and no private address. What a name resolves to is checked by `createGuardedFetch`. */
  publicOnly: boolean
}

/** The URL when we may go there, else null. */
export function permittedUrl(value: unknown, { httpsOnly, publicOnly }: UrlRules): string | null {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (!url || url.username || url.password || !/^https?:$/.test(url.protocol)) return null
  if (httpsOnly && url.protocol !== 'https:') return null
  if (publicOnly && isInternalHost(url.hostname)) return null
  return url.href
}
