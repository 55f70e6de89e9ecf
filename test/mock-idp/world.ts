import { createHash } from 'node:crypto'
import { createMockIdp, type MockIdp, type MockIdpOptions } from '../../mock-idp/app.ts'

export const issuer = 'http://localhost:4000'
export const redirectUri = 'http://localhost:3000/callback'
const verifier = 'a-code-verifier-of-at-least-forty-three-characters'
const challenge = createHash('sha256').update(verifier).digest('base64url')

/** The fixed time of the tests: 2026-03-01T12:00:00Z, in milliseconds. */
export const noon = Date.UTC(2026, 2, 1, 12)

export interface TokenResponse {
  access_token: string
  refresh_token: string
  id_token: string
  expires_in: number
  scope: string
  token_type: string
}

/** A provider for one test, with a fixed clock, and the most common calls. */
export function createWorld(options: Partial<MockIdpOptions> = {}) {
  const idp = createMockIdp({ issuer, fans: 40, now: () => noon, ...options })
  const get = (path: string, headers: Record<string, string> = {}) => idp.fetch(issuer + path, { headers })
  const json = async <T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<T> => {
    const response = await control(idp, method, path, body)
    return (response.status === 204 ? undefined : await response.json()) as T
  }
  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
    return idp.fetch(issuer + path, { method: 'POST', body: new URLSearchParams(form), headers })
  }
  const userinfo = (token: string) => get('/userinfo', { authorization: `Bearer ${token}` })
  return { idp, get, json, post, userinfo, send: (...args: Sent) => control(idp, ...args) }
}

type Sent = [method: string, path: string, body?: unknown]
export type World = ReturnType<typeof createWorld>

function control(idp: MockIdp, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return idp.fetch(issuer + path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  })
}

/** The parameters of a valid authorization request, with changes; undefined removes a parameter. */
export function authorizeParameters(
  changes: Record<string, string | undefined> = {},
): Record<string, string> {
  const parameters = {
    response_type: 'code',
    client_id: 'matchday-app',
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state: 'the-state',
    nonce: 'the-nonce',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...changes,
  }
  return Object.fromEntries(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

export function authorizePath(changes: Record<string, string | undefined> = {}): string {
  return `/authorize?${new URLSearchParams(authorizeParameters(changes))}`
}

/** Signs a fan in through the form of the page and returns the code. */
export async function obtainCode(
  world: World,
  changes: Record<string, string | undefined> = {},
): Promise<string> {
  const response = await world.post('/authorize', authorizeParameters({ sub: 'fan-0001', ...changes }))
  const location = response.headers.get('location')
  return (location && new URL(location).searchParams.get('code')) ?? ''
}

export function exchange(
  world: World,
  code: string,
  changes: Record<string, string> = {},
): Promise<Response> {
  const form = { grant_type: 'authorization_code', client_id: 'matchday-app', redirect_uri: redirectUri }
  return world.post('/token', { ...form, code, code_verifier: verifier, ...changes })
}

/** A complete sign-in: page, code, tokens. */
export async function obtainTokens(
  world: World,
  changes: Record<string, string | undefined> = {},
): Promise<TokenResponse> {
  return (await exchange(world, await obtainCode(world, changes))).json() as Promise<TokenResponse>
}

export function refresh(
  world: World,
  token: string,
  changes: Record<string, string> = {},
): Promise<Response> {
  return world.post('/token', {
    grant_type: 'refresh_token',
    client_id: 'matchday-app',
    refresh_token: token,
    ...changes,
  })
}
