import { Refusal } from './refusal.ts'

/** The scopes that mean something here (OpenID Connect Core §5.4, §11). Others are dropped from the grant. */
export const scopes = ['openid', 'profile', 'email', 'offline_access'] as const

const byDefault = 'openid profile email'
const token = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * What is granted of the scope asked for; `openid profile email` when nothing was asked for.
 * @throws Refusal 400 `invalid_scope` for a malformed scope, or when nothing of it is known here
 */
export function grantScope(asked: string | undefined): string {
  const words = (asked ?? byDefault).split(' ').filter(Boolean)
  const known = scopes.filter(scope => words.includes(scope))
  if (words.some(word => !token.test(word)) || known.length === 0) {
    throw new Refusal(400, 'invalid_scope', `Known scopes: ${scopes.join(', ')}.`)
  }
  return known.join(' ')
}

/**
 * The scope of a refreshed token: what the grant has, or a part of it.
 * @throws Refusal 400 `invalid_scope` when more is asked for than was granted (RFC 6749 §6)
 */
export function narrowScope(granted: string, asked: string | undefined): string {
  if (asked === undefined) return granted
  const held = granted.split(' ')
  const words = asked.split(' ').filter(Boolean)
  if (words.length === 0 || words.some(word => !held.includes(word))) {
    throw new Refusal(400, 'invalid_scope', `The grant holds: ${granted}.`)
  }
  return held.filter(word => words.includes(word)).join(' ')
}
