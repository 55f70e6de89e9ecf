/** The external identity provider as the rest of the application sees it. */
import type { Logger } from 'pino'
import { DomainError } from '../problems.ts'
import { type JudgedClaims, judgeClaims } from './claims.ts'
import { discoveryUrl, type Endpoints, readDiscovery } from './discovery.ts'
import { type Fetch, fetchJson, ProviderError } from './fetch-json.ts'
import { createKeySet } from './key-set.ts'
import { type SessionClaims, verifySessionToken } from './session-token.ts'

const DEADLINE_MS = 3_000
const MOST_BYTES = 262_144

export interface IdentityProvider {
  /** Names the provider in profiles and in the sync path. */
  readonly name: string
  /** @throws DomainError `invalid_token`, `identity_provider_unavailable` */
  verify(token: string): Promise<SessionClaims>
  /** The user data behind a session token. @throws DomainError `identity_provider_unavailable`, `identity_provider_invalid`, `invalid_token` */
  userinfo(token: string, subject: string): Promise<JudgedClaims>
  /** Endpoints by discovery, asked for when not known yet; null while the provider does not answer. */
  endpoints(): Promise<Endpoints | null>
  /** Fetches discovery and keys when they are due. Never throws. */
  refresh(): Promise<void>
  /** Null when tokens can be verified, else why not. */
  problem(): string | null
}

export interface ProviderOptions {
  issuer: string
  audience: string
  name: string
  tokenTyp: string | null
  now: () => Date
  fetch: Fetch
  log: Logger
  /** For one request to the provider, body included. Milliseconds; default 3000. */
  deadlineMs?: number
}

export function createIdentityProvider(options: ProviderOptions): IdentityProvider {
  const { issuer, audience, name, tokenTyp, now, fetch, log, deadlineMs = DEADLINE_MS } = options
  let endpoints: Endpoints | undefined

  const get = (url: string, token?: string) =>
    fetchJson({ fetch, url, token, deadlineMs, maxBytes: MOST_BYTES })

  async function discover(): Promise<Endpoints> {
    const { body } = await get(discoveryUrl(issuer))
    endpoints = readDiscovery(body, issuer)
    return endpoints
  }

  const keySet = createKeySet({
    now,
    // Discovery again with each refresh: a provider may move its keys.
    load: async () => (await get((await discover()).jwks)).body,
    onFailure: error => log.warn({ issuer, reason: error.message }, 'identity provider: keys not refreshed'),
  })

  const rules = { findKey: keySet.find, issuer, audience, typ: tokenTyp, now }

  return {
    name,
    verify: token => verifySessionToken(token, rules),
    refresh: keySet.refresh,
    problem: keySet.problem,

    async endpoints() {
      try {
        return endpoints ?? (await discover())
      } catch {
        return null
      }
    },

    async userinfo(token, subject) {
      try {
        const { userinfo } = endpoints ?? (await discover())
        if (!userinfo)
          throw new ProviderError('its discovery document has no usable userinfo_endpoint', 'invalid')
        const { body } = await get(userinfo, token)
        // OpenID Connect Core §5.3.2: userinfo of somebody else must not be used.
        if (body.sub !== subject) throw new ProviderError('its userinfo is of another subject', 'invalid')
        const judged = judgeClaims(subject, body)
        if (judged.refused.length > 0)
          log.warn({ claims: judged.refused }, 'identity provider: claims left out')
        return judged
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error
        log.warn({ issuer, reason: error.message }, 'identity provider: userinfo not read')
        throw problemOf(error)
      }
    },
  }
}

function problemOf(error: ProviderError): DomainError {
  if (error.kind === 'refused') {
    return new DomainError('invalid_token', { detail: 'The identity provider no longer accepts the token.' })
  }
  if (error.kind === 'invalid') return new DomainError('identity_provider_invalid')
  return new DomainError('identity_provider_unavailable', { retryAfter: error.retryAfter })
}
