/** Sign-in by authorization code with PKCE (RFC 7636), then exchange for a native token and its refresh. */
import { createClient } from 'matchday/client'

/** What `/demo/config.json` answers. */
export interface DemoConfig {
  issuer: string
  clientId: string
}

/** A native session. `refreshToken` is good once: it is replaced at each refresh. */
interface Session {
  token: string
  expiresAt: string
  refreshToken: string
}

const SESSION = 'matchday session'
const PENDING = 'matchday sign-in'
/** Refresh this long before the token expires, so that no request is refused. Milliseconds. */
const REFRESH_EARLY_MS = 60_000

const anonymous = createClient(location.origin).api
const redirectUri = `${location.origin}/demo`
const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

// `sessionStorage` ends with the tab. An app with stricter needs keeps the refresh token in its own backend.
const read = <T>(key: string): T | null => JSON.parse(sessionStorage.getItem(key) ?? 'null')
const write = (key: string, value: unknown) => sessionStorage.setItem(key, JSON.stringify(value))

export const isSignedIn = () => read<Session>(SESSION) !== null

async function discover({ issuer }: DemoConfig) {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`)
  return (await response.json()) as { authorization_endpoint: string; token_endpoint: string }
}

/** Leaves the page for the provider's sign-in. */
export async function startSignIn(config: DemoConfig): Promise<void> {
  const [verifier, state] = [randomText(), randomText()]
  write(PENDING, { verifier, state })
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const { authorization_endpoint } = await discover(config)
  location.href = `${authorization_endpoint}?${new URLSearchParams({
    response_type: 'code',
    client_id: config.clientId,
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state,
    code_challenge: base64url(new Uint8Array(challenge)),
    code_challenge_method: 'S256',
  })}`
}

/** Completes a sign-in when the provider has sent the browser back. @throws Error when it refused */
export async function finishSignIn(config: DemoConfig): Promise<void> {
  const query = new URLSearchParams(location.search)
  const [code, state] = [query.get('code'), query.get('state')]
  const pending = read<{ verifier: string; state: string }>(PENDING)
  if (query.size === 0) return
  sessionStorage.removeItem(PENDING)
  history.replaceState(null, '', '/demo')
  if (query.has('error')) throw new Error(query.get('error_description') ?? 'The sign-in was refused.')
  // An attacker's link may contain a code of the attacker's account: accept only codes that this tab requested.
  if (!code || !pending || state !== pending.state) throw new Error('The sign-in did not start here.')
  const { token_endpoint } = await discover(config)
  const response = await fetch(token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: config.clientId,
      redirect_uri: redirectUri,
      code,
      code_verifier: pending.verifier,
    }),
  })
  if (!response.ok) throw new Error('The provider did not exchange the code.')
  const { access_token } = (await response.json()) as { access_token: string }
  const { data, error } = await anonymous.auth['native-token'].post(
    { deviceName: 'Demo in a browser' },
    { headers: { authorization: `Bearer ${access_token}` } },
  )
  if (error) throw new Error(error.value.detail)
  write(SESSION, data)
}

let refreshing: Promise<string | null> | undefined

/** A token that is valid for at least a minute; null after the session has ended. Concurrent callers share one refresh. */
export async function freshToken(): Promise<string | null> {
  const session = read<Session>(SESSION)
  if (!session) return null
  if (Date.parse(session.expiresAt) - Date.now() > REFRESH_EARLY_MS) return session.token
  refreshing ??= refresh(session).finally(() => {
    refreshing = undefined
  })
  return refreshing
}

async function refresh({ refreshToken }: Session): Promise<string | null> {
  const { data, error } = await anonymous.auth['native-token'].refresh.post({ refreshToken })
  if (data) {
    write(SESSION, data)
    return data.token
  }
  // Anything but a refusal is temporary: the session stays.
  if (error.status === 401) sessionStorage.removeItem(SESSION)
  return null
}

/** Ends the session here and on the server. */
export async function signOut(): Promise<void> {
  const token = await freshToken()
  sessionStorage.removeItem(SESSION)
  if (token) await anonymous.auth.logout.post({}, { headers: { authorization: `Bearer ${token}` } })
}
