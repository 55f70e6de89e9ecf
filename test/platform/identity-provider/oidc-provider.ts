/** `oidc-provider`, a certified OpenID Connect server, on a loopback port, and a client that signs fans in. */
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'

const RESOURCE = 'https://api.matchday.example'
const REDIRECT_URI = 'http://127.0.0.1:1/callback'
const CLIENT = 'fan-app'
export const AUDIENCE = 'matchday-api'

interface Tokens {
  access_token: string
  id_token: string
}

export interface RealProvider {
  issuer: string
  /** Authorization code with PKCE. `wrongVerifier` replaces the correct verifier. */
  signIn(subject: string, wrongVerifier?: string): Promise<{ status: number; tokens: Tokens }>
  /** Signs with a new key. The previous keys stay published or are removed. */
  rotateKeys(old: 'kept' | 'retired'): Promise<void>
  stop(): Promise<void>
}

/** The claims of each fan in the ID token and, through `extraTokenClaims`, in the access token. */
export const claimsOf = (subject: string) => ({
  name: `Fan ${subject}`,
  email: `${subject}@example.com`,
  email_verified: true,
})

export async function startRealProvider(): Promise<RealProvider> {
  let keys: JWK[] = []
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address of this kind.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function rotateKeys(old: 'kept' | 'retired') {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const key = {
      ...(await exportJWK(privateKey)),
      kid: randomBytes(8).toString('hex'),
      alg: 'ES256',
      use: 'sig',
    }
    keys = [key, ...(old === 'kept' ? keys : [])]
    // Its keys are fixed at creation.
    const provider = new Provider(issuer, configure(keys))
    const handle = provider.callback()
    answer = (request, response) => {
      const subject = /^\/sign-in\/[^?]*\?as=(.*)$/.exec(request.url ?? '')?.[1]
      if (subject === undefined) return handle(request, response)
      return interact(provider, request, response, subject)
    }
  }
  await rotateKeys('kept')

  async function signIn(subject: string, wrongVerifier?: string) {
    const verifier = randomBytes(32).toString('base64url')
    const authorize = new URL(`${issuer}/auth`)
    authorize.search = new URLSearchParams({
      client_id: CLIENT,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid profile email fans',
      resource: RESOURCE,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()
    const callback = await followAs(subject, authorize)
    const code = callback.searchParams.get('code')
    if (!code) throw new Error(`signing in ended at ${callback}`)
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: CLIENT,
        redirect_uri: REDIRECT_URI,
        code,
        code_verifier: wrongVerifier ?? verifier,
      }),
    })
    return { status: response.status, tokens: (await response.json()) as Tokens }
  }

  return {
    issuer,
    signIn,
    rotateKeys,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The fan signs in and consents, as on the provider's pages. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  subject: string,
): Promise<void> {
  const { prompt } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login')
    return provider.interactionFinished(request, response, { login: { accountId: subject } })
  const grant = new provider.Grant({ clientId: CLIENT, accountId: subject })
  grant.addOIDCScope('openid profile email')
  grant.addResourceScope(RESOURCE, 'fans')
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}

/** Follows redirects with cookies, as a browser, up to the redirect URI of the client. */
async function followAs(subject: string, start: URL): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = start
  for (let hop = 0; hop < 10; hop++) {
    if (url.href.startsWith(REDIRECT_URI)) return url
    if (url.pathname.startsWith('/sign-in/')) url.searchParams.set('as', subject)
    const cookie = [...cookies].map(pair => pair.join('=')).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (!location) throw new Error(`${url.pathname} answered ${response.status}: ${await response.text()}`)
    url = new URL(location, url)
  }
  throw new Error('too many redirects')
}

function configure(keys: JWK[]): Configuration {
  return {
    jwks: { keys } as Configuration['jwks'],
    clients: [
      {
        client_id: CLIENT,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: [REDIRECT_URI],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    ttl: { AccessToken: 3600, Grant: 3600, IdToken: 3600, Interaction: 3600, Session: 3600 },
    findAccount: (_, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId, ...claimsOf(accountId) }),
    }),
    extraTokenClaims: (_, token) => ('accountId' in token ? claimsOf(token.accountId) : undefined),
    interactions: { url: (_, { uid }) => `/sign-in/${uid}` },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'fans',
          audience: AUDIENCE,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  }
}
