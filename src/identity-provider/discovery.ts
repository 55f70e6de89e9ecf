/** OpenID Connect Discovery 1.0: where the provider keeps its keys and its user data. */
import { ProviderError } from './fetch-json.ts'
import { permittedUrl, type UrlRules } from './permitted-url.ts'

export interface Endpoints {
  jwks: string
  userinfo: string | null
  authorization: string | null
  token: string | null
}

export const discoveryUrl = (issuer: string) => `${issuer}/.well-known/openid-configuration`

/**
 * The endpoints that we use, out of a discovery document.
 * @throws ProviderError `invalid` when the document is not this issuer's, or points where we do not go
 */
export function readDiscovery(document: Record<string, unknown>, issuer: string, rules: UrlRules): Endpoints {
  // §4.3: the issuer must be the one we asked, or another provider could speak for it.
  if (typeof document.issuer !== 'string' || document.issuer.replace(/\/+$/, '') !== issuer) {
    throw new ProviderError('its discovery document names another issuer', 'invalid')
  }
  /** Null when it is left out; refused when it is there and points elsewhere. */
  const endpoint = (member: string): string | null => {
    if (document[member] === undefined || document[member] === null) return null
    const url = permittedUrl(document[member], rules)
    if (url === null) throw new ProviderError(`its discovery document has no permitted ${member}`, 'invalid')
    return url
  }
  const jwks = endpoint('jwks_uri')
  if (!jwks) throw new ProviderError('its discovery document has no jwks_uri', 'invalid')
  return {
    jwks,
    userinfo: endpoint('userinfo_endpoint'),
    authorization: endpoint('authorization_endpoint'),
    token: endpoint('token_endpoint'),
  }
}
