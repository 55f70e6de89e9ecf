import { Elysia } from 'elysia'
import { errors, type JWTPayload } from 'jose'
import type { Provider } from '../provider.ts'
import { presentUser, type User } from '../users/user.ts'
import { paths } from './discovery.ts'
import { OAuthError } from './oauth-error.ts'
import { claimsForScope } from './tokens.ts'

/** Userinfo (OpenID Connect Core §5.3): the claims that the token's scope includes, by GET or POST. */
export function userinfoRoutes(provider: Provider) {
  const { issuer, faults } = provider
  const userinfo = async ({ request }: { request: Request }) => {
    const { user, scope } = await authenticate(provider, request.headers.get('authorization'))
    const claims = claimsForScope(presentUser(user, issuer), scope)
    return Response.json(claims, { headers: { 'cache-control': 'no-store' } })
  }
  return new Elysia({ name: 'mock-idp/userinfo' })
    .get(paths.userinfo, userinfo, { beforeHandle: faults.guard('userinfo') })
    .post(paths.userinfo, userinfo, { beforeHandle: faults.guard('userinfo') })
}

/** @throws OAuthError 401 or 403 with the challenge of RFC 6750 §3 */
async function authenticate(
  provider: Provider,
  authorization: string | null,
): Promise<{ user: User; scope: string }> {
  const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (!token) {
    const challenge = { 'www-authenticate': 'Bearer realm="mock-idp"' }
    throw new OAuthError(401, 'invalid_request', 'Send an access token as Authorization: Bearer.', challenge)
  }
  const claims = await provider.tokens.verifyAccessToken(token).catch(rejectToken)
  const user = provider.users.find(String(claims.sub))
  if (!user) throw unauthorized('invalid_token', 'The user no longer exists.')
  if (provider.grants.isRevoked(claims)) throw unauthorized('invalid_token', 'The token was revoked.')
  const scope = typeof claims.scope === 'string' ? claims.scope : ''
  if (!scope.split(' ').includes('openid'))
    throw unauthorized('insufficient_scope', 'The scope openid is required.', 403)
  return { user, scope }
}

function rejectToken(error: unknown): JWTPayload {
  if (error instanceof errors.JOSEError)
    throw unauthorized('invalid_token', `The token was rejected: ${error.code}.`)
  throw error
}

function unauthorized(code: string, description: string, status = 401): OAuthError {
  const challenge = `Bearer realm="mock-idp", error="${code}", error_description="${description}"`
  return new OAuthError(status, code, description, { 'www-authenticate': challenge })
}
