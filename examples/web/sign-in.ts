/** Sign-in by authorization code with PKCE (RFC 7636), then exchange for a native token. */
import { deleteAccount, signIn } from './api.ts'
import { text } from './lang/lang.ts'

/** The response of `/demo/config.json`. */
export interface DemoConfig {
  issuer: string
  clientId: string
}

/** A sign-in that was redirected to the provider. */
interface Pending {
  verifier: string
  state: string
  /** The screen to return to. */
  from: string
  /** Instead of a session, deletes this account after the new sign-in of its fan. Null: the fan has no profile. */
  deletes?: string | null
}

const PENDING = 'matchday sign-in'
const redirectUri = `${location.origin}/demo`
const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

async function readJson<T>(url: string, init?: RequestInit): Promise<T> {
  const response = await fetch(url, init).catch(() => {
    throw new Error(text.problems.network_error)
  })
  if (!response.ok) throw new Error(text.signIn.noExchange)
  return (await response.json()) as T
}

export const readConfig = () => readJson<DemoConfig>('/demo/config.json')

const discover = ({ issuer }: DemoConfig) =>
  readJson<{ authorization_endpoint: string; token_endpoint: string }>(
    `${issuer}/.well-known/openid-configuration`,
  )

/** Leaves the page for the provider's sign-in. */
export async function startSignIn(config: DemoConfig, purpose: Pick<Pending, 'deletes'> = {}): Promise<void> {
  const { pathname, search, hash } = location
  const from = pathname + search + hash
  const pending: Pending = { verifier: randomText(), state: randomText(), from, ...purpose }
  sessionStorage.setItem(PENDING, JSON.stringify(pending))
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier))
  const { authorization_endpoint } = await discover(config)
  location.href = `${authorization_endpoint}?${new URLSearchParams({
    response_type: 'code',
    client_id: config.clientId,
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state: pending.state,
    code_challenge: base64url(new Uint8Array(challenge)),
    code_challenge_method: 'S256',
    // Asks for credentials even if the provider remembers the fan.
    ...(purpose.deletes !== undefined && { prompt: 'login' }),
  })}`
}

/** Whether the provider has sent the browser back. */
export function isReturning(): boolean {
  const query = new URLSearchParams(location.search)
  return query.has('code') || query.has('error')
}

/**
 * Completes a sign-in when the provider has sent the browser back. Returns a message for the fan; null: none. @throws Error
 * when the provider refused
 */
export async function finishSignIn(config: DemoConfig): Promise<string | null> {
  const query = new URLSearchParams(location.search)
  const [code, state] = [query.get('code'), query.get('state')]
  const stored = sessionStorage.getItem(PENDING)
  const pending = stored === null ? null : (JSON.parse(stored) as Pending)
  sessionStorage.removeItem(PENDING)
  history.replaceState(null, '', pending?.from ?? '/demo')
  if (query.has('error')) throw new Error(query.get('error_description') ?? text.signIn.refused)
  // An attacker's link may contain a code of the attacker's account: accept only codes that this tab requested.
  if (!code || !pending || state !== pending.state) throw new Error(text.signIn.notStartedHere)
  const { token_endpoint } = await discover(config)
  const { access_token } = await readJson<{ access_token: string }>(token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: config.clientId,
      redirect_uri: redirectUri,
      code,
      code_verifier: pending.verifier,
    }),
  })
  if (pending.deletes !== undefined) {
    const isDeleted = await deleteAccount(access_token, pending.deletes)
    if (isDeleted) history.replaceState(null, '', '/demo')
    return isDeleted ? text.deletion.done : text.deletion.another
  }
  await signIn(access_token)
  return null
}
