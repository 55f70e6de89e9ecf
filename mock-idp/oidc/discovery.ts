import { Elysia } from 'elysia'
import type { Provider } from '../provider.ts'
import { signingAlgorithms } from './keys.ts'
import { scopes } from './scopes.ts'

/** The path of each endpoint. */
export const paths = {
  authorize: '/authorize',
  token: '/token',
  userinfo: '/userinfo',
  jwks: '/.well-known/jwks.json',
  revoke: '/revoke',
  endSession: '/end-session',
} as const

/** The provider's metadata (OpenID Connect Discovery 1.0 §3, RFC 8414 §2, RFC 9207). */
function describeProvider(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: issuer + paths.authorize,
    token_endpoint: issuer + paths.token,
    userinfo_endpoint: issuer + paths.userinfo,
    jwks_uri: issuer + paths.jwks,
    revocation_endpoint: issuer + paths.revoke,
    end_session_endpoint: issuer + paths.endSession,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: signingAlgorithms,
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'select_account', 'consent'],
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_supported: [...claims.token, ...claims.profile, ...claims.email],
  }
}

const claims = {
  token: 'iss aud exp iat auth_time nonce at_hash sid sub'.split(' '),
  profile: 'name given_name family_name preferred_username picture locale zoneinfo updated_at'.split(' '),
  email: ['email', 'email_verified'],
}

/** Discovery documents and the key set. */
export function discoveryRoutes({ issuer, keys, faults }: Provider) {
  const json = { headers: { 'cache-control': 'no-cache' } }
  const discovery = () => Response.json(describeProvider(issuer), json)
  return new Elysia({ name: 'mock-idp/discovery' })
    .get('/.well-known/openid-configuration', discovery, { beforeHandle: faults.guard('discovery') })
    .get('/.well-known/oauth-authorization-server', discovery, { beforeHandle: faults.guard('discovery') })
    .get(paths.jwks, () => Response.json(keys.jwks, json), { beforeHandle: faults.guard('jwks') })
}
