import { Elysia } from 'elysia'
import { createClock } from './clock.ts'
import { clockControls } from './control/clock.ts'
import { faultControls } from './control/faults.ts'
import { tokenControls } from './control/tokens.ts'
import { userControls } from './control/users.ts'
import { webhookControls } from './control/webhooks.ts'
import { Faults } from './faults/faults.ts'
import { aborted } from './faults/responses.ts'
import { guard } from './guard.ts'
import { authorizeRoutes } from './oidc/authorize.ts'
import { discoveryRoutes } from './oidc/discovery.ts'
import { endSessionRoutes } from './oidc/end-session.ts'
import { Grants } from './oidc/grants.ts'
import { createKeyRing, type KeyStore } from './oidc/keys.ts'
import { notFound, OAuthError } from './oidc/oauth-error.ts'
import { tokenRoutes } from './oidc/token-endpoint.ts'
import { createTokens, type TokenOptions } from './oidc/tokens.ts'
import { userinfoRoutes } from './oidc/userinfo.ts'
import { pageRoutes } from './pages/routes.ts'
import type { Provider } from './provider.ts'
import { RequestLog } from './request-log.ts'
import { UserDirectory } from './users/directory.ts'
import { type WebhookConfig, Webhooks } from './users/webhooks.ts'

export interface MockIdpOptions {
  /** An http(s) origin: no path, no trailing slash. */
  issuer: string
  /** Determines the generated fans. Default 1. */
  seed?: number
  /** How many fans are generated. Default 300. */
  fans?: number
  /** The `aud` of access tokens. Default `matchday-api`. */
  audience?: string
  /** Where signing keys outlast the process. Default: in memory only. */
  keyStore?: KeyStore
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number
  /** Delivers webhooks. Default: the global fetch. */
  fetch?: typeof fetch
  /** Receives a line for each delivery and each failure. Default: none is written. */
  log?: (line: string) => void
  /** The webhook settings at start and after a reset. */
  webhooks?: Partial<WebhookConfig>
}

export interface MockIdp {
  issuer: string
  /** To listen on a port, pass `app.fetch` to a server. */
  app: Elysia
  /** Handles a request in process. Like fetch, it rejects on a network fault and on an abort. */
  handle(request: Request): Promise<Response>
  /** `handle` with the signature of fetch. */
  fetch: typeof fetch
  /** An access token for a user, as `POST /_mock/tokens` issues it. Rejects when there is no such user. */
  issueToken(sub: string, options?: TokenOptions): Promise<string>
  /** Advances the provider's clock and delivers the webhooks that become due. */
  advance(ms: number): Promise<void>
  /** Restores the state at start: users, keys, grants, faults, webhooks, clock and request log. */
  reset(): void
  /** Ends every hanging request and clears every timer. */
  close(): void
}

/** A mock OpenID Connect provider. It does not listen by itself, and instances in one process share no state. */
export function createMockIdp(options: MockIdpOptions): MockIdp {
  const { issuer, log = () => {} } = options
  if (!URL.canParse(issuer) || new URL(issuer).origin !== issuer) {
    throw new TypeError('issuer must be an http(s) origin: no path, no query, no trailing slash')
  }
  const provider = createProvider(options)
  const { faults, tokens, users, clock } = provider
  const reset = () => {
    const { webhooks, requests, keys, grants } = provider
    for (const part of [faults, webhooks, clock, requests, users, keys, grants]) part.reset()
  }
  const app = new Elysia({ name: 'mock-idp' })
    .onError({ as: 'global' }, ({ error, code }) => {
      if (error instanceof OAuthError) return error.toResponse()
      if (code === 'NOT_FOUND') return notFound('There is nothing at this path.').toResponse()
      log(`mock provider: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      return new OAuthError(500, 'server_error', 'The mock provider failed; its log says why.').toResponse()
    })
    .use(guard(provider))
    .use(pageRoutes(provider))
    .use(discoveryRoutes(provider))
    .use(authorizeRoutes(provider))
    .use(endSessionRoutes(provider))
    .use(tokenRoutes(provider))
    .use(userinfoRoutes(provider))
    .use(userControls(provider))
    .use(tokenControls(provider))
    .use(faultControls(provider))
    .use(webhookControls(provider))
    .use(clockControls({ ...provider, reset })) as unknown as Elysia
  const handle = async (request: Request) => {
    const response = await Promise.race([app.fetch(request), rejectWhenAborted(request.signal)])
    if (faults.isBroken(request)) throw new TypeError('fetch failed: the connection was reset')
    return response
  }
  return {
    issuer,
    app,
    handle,
    fetch: asFetch(handle),
    issueToken: async (sub, tokenOptions) => tokens.issueAccessToken(users.get(sub).sub, tokenOptions),
    advance: async ms => {
      clock.advance(ms)
      await provider.webhooks.deliverDue()
    },
    reset,
    close: () => {
      faults.reset()
      provider.webhooks.reset()
    },
  }
}

function createProvider(options: MockIdpOptions): Provider {
  const { issuer, seed = 1, fans = 300, audience = 'matchday-api' } = options
  const { keyStore, now = Date.now, log = () => {} } = options
  const clock = createClock(now)
  const keys = createKeyRing(keyStore)
  const requests = new RequestLog(clock)
  return {
    issuer,
    audience,
    clock,
    keys,
    requests,
    tokens: createTokens({ issuer, audience, clock, keys }),
    users: new UserDirectory({ seed, fans, clock }),
    grants: new Grants(clock),
    faults: new Faults(clock, requests),
    webhooks: new Webhooks({ issuer, clock, log, fetch: options.fetch ?? fetch, initial: options.webhooks }),
  }
}

async function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  await aborted(signal)
  throw signal.reason
}

/** The type of Bun's fetch also requires `preconnect`, which has no effect in process. */
function asFetch(handle: MockIdp['handle']): typeof fetch {
  const call = (input: string | URL | Request, init?: RequestInit) => {
    return handle(input instanceof Request ? new Request(input, init) : new Request(String(input), init))
  }
  return Object.assign(call, { preconnect: () => {} })
}
