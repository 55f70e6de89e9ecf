import { Elysia } from 'elysia'
import type { Provider } from '../provider.ts'
import { findClient } from './clients.ts'
import { paths } from './discovery.ts'
import { type Parameters, readForm, required } from './form.ts'
import type { Grant } from './grants.ts'
import { OAuthError } from './oauth-error.ts'
import { narrowScope } from './scopes.ts'
import { tokenLifetime } from './tokens.ts'

const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** The token endpoint (RFC 6749 §4.1.3 and §6, RFC 7636) and revocation (RFC 7009). Form bodies, JSON errors. */
export function tokenRoutes(provider: Provider) {
  const { faults, requests } = provider
  return new Elysia({ name: 'mock-idp/token' })
    .post(
      paths.token,
      async ({ request }) => {
        const form = await readForm(request)
        const clientId = identifyClient(request, form)
        const { grant, scope } = redeem(provider, form, clientId)
        requests.note(request, { sub: grant.sub })
        return Response.json(await issueTokens(provider, grant, scope), { headers: noStore })
      },
      { beforeHandle: faults.guard('token') },
    )
    .post(
      paths.revoke,
      async ({ request }) => {
        const form = await readForm(request)
        const clientId = identifyClient(request, form)
        await revoke(provider, required(form, 'token'), clientId)
        return new Response(null, { headers: noStore })
      },
      { beforeHandle: faults.guard('revoke') },
    )
}

/** @throws OAuthError 401 `invalid_client` for an unknown client or one that sends a secret: both clients are public */
function identifyClient(request: Request, form: Parameters): string {
  if (request.headers.has('authorization')) {
    const challenge = { 'www-authenticate': 'Basic realm="mock-idp"' }
    throw invalidClient('The clients are public: send client_id in the form only.', challenge)
  }
  const client = findClient(required(form, 'client_id'))
  if (!client) throw invalidClient('There is no client with this id.')
  if (form.has('client_secret')) throw invalidClient('The clients are public: omit client_secret.')
  return client.id
}

const invalidClient = (description: string, headers?: Record<string, string>) =>
  new OAuthError(401, 'invalid_client', description, headers)

/** @throws OAuthError 400 as in RFC 6749 §5.2 */
function redeem({ grants, users }: Provider, form: Parameters, clientId: string) {
  const type = required(form, 'grant_type')
  if (type === 'authorization_code') {
    const code = required(form, 'code')
    const redirectUri = required(form, 'redirect_uri')
    const verifier = required(form, 'code_verifier')
    const grant = grants.redeemCode(code, { clientId, redirectUri, verifier })
    return { grant: requireUser(grant), scope: grant.scope }
  }
  if (type === 'refresh_token') {
    const token = required(form, 'refresh_token')
    const stored = grants.findByRefreshToken(token, clientId)
    const scope = stored ? narrowScope(stored.scope, form.get('scope')) : ''
    return { grant: requireUser(grants.redeemRefreshToken(token, clientId)), scope }
  }
  throw new OAuthError(400, 'unsupported_grant_type', 'Known grant types: authorization_code, refresh_token.')

  function requireUser(grant: Grant): Grant {
    if (!users.find(grant.sub)) throw new OAuthError(400, 'invalid_grant', 'The user no longer exists.')
    return grant
  }
}

async function issueTokens({ tokens, grants, users }: Provider, grant: Grant, scope: string) {
  const { sub, clientId, sid, authTime, nonce } = grant
  const accessToken = await tokens.issueAccessToken(sub, { clientId, scope, sid })
  // The nonce belongs to the sign-in: ID tokens of refreshes omit it (OpenID Connect Core §12.2).
  grant.nonce = undefined
  const idToken = { clientId, sid, scope, authTime, nonce, accessToken }
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: tokenLifetime,
    refresh_token: grants.issueRefreshToken(grant),
    ...(scope.split(' ').includes('openid')
      ? { id_token: await tokens.issueIdToken(users.get(sub), idToken) }
      : {}),
    scope,
  }
}

/** RFC 7009 §2.2: an unknown token is no error. A refresh token revokes its grant, an access token only itself. */
async function revoke({ grants, tokens }: Provider, token: string, clientId: string): Promise<void> {
  const grant = grants.findByRefreshToken(token, clientId)
  if (grant) return grants.revokeGrant(grant.sid)
  const claims = await tokens.verifyAccessToken(token).catch(() => undefined)
  if (claims?.client_id === clientId && claims.jti) grants.revokeToken(claims.jti)
}
