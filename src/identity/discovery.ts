/** OpenID Connect Discovery 1.0: where the provider keeps its keys and its user data. */
import { ProviderError } from './fetch-json.ts'

export interface Endpoints {
  jwks: string
  userinfo: string | null
  authorization: string | null
  token: string | null
}

export const discoveryUrl = (issuer: string) => `${issuer}/.well-known/openid-configuration`

/**
 * The endpoints that we use, out of a discovery document.
 * @throws ProviderError `invalid` when the document is not this issuer's, or lacks its keys
 */
export function readDiscovery(document: Record<string, unknown>, issuer: string): Endpoints {
  // §4.3: the issuer must be the one we asked, or another provider could speak for it.
  if (typeof document.issuer !== 'string' || document.issuer.replace(/\/+$/, '') !== issuer) {
    throw new ProviderError('its discovery document names another issuer', 'invalid')
  }
  const jwks = endpoint(document, 'jwks_uri', issuer)
  if (!jwks) throw new ProviderError('its discovery document has no usable jwks_uri', 'invalid')
  return {
    jwks,
    userinfo: endpoint(document, 'userinfo_endpoint', issuer),
    authorization: endpoint(document, 'authorization_endpoint', issuer),
    token: endpoint(document, 'token_endpoint', issuer),
  }
}

/** An https issuer is never left for plain http. */
function endpoint(document: Record<string, unknown>, member: string, issuer: string): string | null {
  const value = document[member]
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (!url || url.username || !/^https?:$/.test(url.protocol)) return null
  if (issuer.startsWith('https:') && url.protocol !== 'https:') return null
  return url.href
}
