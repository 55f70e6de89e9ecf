/** OpenID Connect Discovery 1.0: the provider's endpoints. */
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
 * Reads the endpoints that this API uses from a discovery document.
 * @throws ProviderError `invalid` if the document names another issuer or an endpoint that is not permitted
 */
export function readDiscovery(document: Record<string, unknown>, issuer: string, rules: UrlRules): Endpoints {
  // §4.3: the issuer must match exactly, so that no other provider can impersonate it.
  if (typeof document.issuer !== 'string' || document.issuer.replace(/\/+$/, '') !== issuer) {
    throw new ProviderError('its discovery document names another issuer', 'invalid')
  }
  /** Null if the document does not contain it. */
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
