import { OAuthError } from './oauth-error.ts'

/** The supported scopes (OpenID Connect Core §5.4, §11). Others are dropped from the grant. */
export const scopes = ['openid', 'profile', 'email', 'offline_access'] as const

const defaultScope = 'openid profile email'
const token = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * The supported part of the requested scope; `openid profile email` when none was requested.
 * @throws OAuthError 400 `invalid_scope` for a malformed scope, or when no part of it is supported
 */
export function grantScope(requested: string | undefined): string {
  const words = (requested ?? defaultScope).split(' ').filter(Boolean)
  const known = scopes.filter(scope => words.includes(scope))
  if (words.some(word => !token.test(word)) || known.length === 0) {
    throw new OAuthError(400, 'invalid_scope', `Known scopes: ${scopes.join(', ')}.`)
  }
  return known.join(' ')
}

/**
 * The scope of a refreshed token: that of the grant, or the requested part of it.
 * @throws OAuthError 400 `invalid_scope` when the request exceeds the grant (RFC 6749 §6)
 */
export function narrowScope(granted: string, requested: string | undefined): string {
  if (requested === undefined) return granted
  const grantedScopes = granted.split(' ')
  const words = requested.split(' ').filter(Boolean)
  if (words.length === 0 || words.some(word => !grantedScopes.includes(word))) {
    throw new OAuthError(400, 'invalid_scope', `The granted scope is: ${granted}.`)
  }
  return grantedScopes.filter(word => words.includes(word)).join(' ')
}
