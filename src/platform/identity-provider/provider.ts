/** The OpenID Connect client of the identity provider: token verification and user data. */
import { decodeJwt } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { loggable } from '../../core/loggable.ts'
import { DomainError } from '../../core/problems.ts'
import type { IdentityConfig } from '../config/identity.ts'
import { type ParsedClaims, parseTokenClaims, parseUserinfo } from './claims.ts'
import { discoveryUrl, type Endpoints, readDiscovery } from './discovery.ts'
import { type Fetch, fetchJson, NotAskedError, ProviderError } from './fetch-json.ts'
import { createKeySet, type KeyStore } from './key-set.ts'
import { permittedUrl } from './permitted-url.ts'
import { providerProblems } from './problems.ts'
import { createResiliencePolicy, DEADLINE_MS, type ResilienceOptions } from './resilience-policy.ts'
import { type SessionClaims, verifySessionToken } from './session-token.ts'
import { createVerifiedTokenCache } from './verified-token-cache.ts'

const MAX_RESPONSE_BYTES = 262_144

const REFUSED =
  'Its userinfo endpoint refused the session token. Many providers refuse tokens that are bound to an audience there: then set IDP_USER_DATA=token.'

/** A request to the provider that has ended. */
interface ProviderCall {
  endpoint: 'discovery' | 'jwks' | 'userinfo'
  result: 'ok' | ProviderError['kind']
  ms: number
}

/** Called after each request to the provider. Must be fast and must not throw. */
export type ProviderObserver = (call: ProviderCall) => void

export type IdentityProvider = ReturnType<typeof createIdentityProvider>

export interface ProviderOptions extends IdentityConfig {
  now: () => Date
  /** Monotonic clock, in milliseconds. */
  elapsed: () => number
  fetch: Fetch
  log: Logger
  observe?: ProviderObserver | undefined
  resilience?: ResilienceOptions
  keyStore?: KeyStore
}

export function createIdentityProvider(options: ProviderOptions) {
  const { issuer, name, now, elapsed, fetch, log, observe, resilience = {} } = options
  const { deadlineMs = DEADLINE_MS } = resilience
  const { publicOnly, allowPrivate } = options
  const outbound = { httpsOnly: issuer.startsWith('https:'), publicOnly, allowPrivate }
  const policy = createResiliencePolicy(resilience)
  const pauses = createPauses(elapsed)
  let endpoints: Endpoints | undefined
  /** At the last response that had a time. */
  let skewMs: number | null = null

  async function get(
    endpoint: ProviderCall['endpoint'],
    url: string,
    fan?: { token: string; subject: string },
  ) {
    // URLs from the configuration follow the same rules as URLs from the discovery document.
    if (permittedUrl(url, outbound) === null)
      throw new ProviderError('its address is not permitted', 'invalid')
    const ofFan = fan ? `${url} ${fan.subject}` : url
    pauses.require(url)
    pauses.require(ofFan)
    const began = performance.now()
    const end = (result: ProviderCall['result']) =>
      observe?.({ endpoint, result, ms: performance.now() - began })
    try {
      const request = { fetch, url, token: fan?.token, deadlineMs, maxBytes: MAX_RESPONSE_BYTES }
      const response = await fetchJson(request)
      const sentAt = Date.parse(response.headers.get('date') ?? '')
      if (!Number.isNaN(sentAt)) skewMs = now().getTime() - sentAt
      end('ok')
      return response
    } catch (error) {
      end(error instanceof ProviderError ? error.kind : 'unavailable')
      // A 4xx response concerns one fan's token: only that fan's requests pause.
      const isClientError = error instanceof ProviderError && (error.status ?? 500) < 500
      pauses.note(isClientError ? ofFan : url, error)
      throw error
    }
  }

  async function discover(): Promise<Endpoints> {
    if (options.jwksUrl) {
      const { jwksUrl: jwks, userinfoUrl: userinfo } = options
      endpoints = { jwks, userinfo, authorization: null, token: null }
    } else {
      const { body } = await get('discovery', discoveryUrl(issuer))
      const found = readDiscovery(body, issuer, outbound)
      endpoints = { ...found, userinfo: options.userinfoUrl ?? found.userinfo }
    }
    return endpoints
  }

  const keySet = createKeySet({
    elapsed,
    usableMs: options.keysUsableMs,
    // Discovery is repeated with each refresh, because a provider may move its keys.
    load: async () => (await get('jwks', (await discover()).jwks)).body,
    store: options.keyStore,
    onChange: () => cache.clear(),
    onFailure: error =>
      log.warn({ issuer, reason: loggable(error).message }, 'identity provider: keys not refreshed'),
  })
  const cache = createVerifiedTokenCache<SessionClaims>(now)

  const rules = { ...options, findKey: keySet.find, typ: options.tokenTyp }

  async function readUserinfo(token: string, subject: string): Promise<ParsedClaims> {
    const requestedAt = now()
    const { userinfo } = endpoints ?? (await discover())
    if (!userinfo) throw new ProviderError('it has no userinfo endpoint', 'invalid')
    const response = await get('userinfo', userinfo, { token, subject })
    // OpenID Connect Core §5.3.2: a userinfo response of another subject must not be used.
    if (response.body.sub !== subject)
      throw new ProviderError('its userinfo is of another subject', 'invalid')
    return parseUserinfo(subject, response, requestedAt, { now: now(), ageClaim: options.ageClaim })
  }

  return {
    /** `IDP_NAME`: appears in profiles and in the path of the sync operation. */
    name,
    /** The claims of the token if the verified-token cache has them, otherwise undefined. */
    getVerified: (token: string) => cache.get(token, keySet.isFresh()),
    /** @throws DomainError `invalid_token`, `identity_provider_unavailable` */
    verify: (token: string) => cache.put(token, verifySessionToken(token, rules)),
    /** Fetches discovery document and keys when due, and stores the keys. Never throws. */
    refresh: keySet.refresh,
    /** Null if tokens can be verified, otherwise the reason. */
    problem: keySet.problem,
    /** State of the circuit breaker of userinfo requests. */
    circuit: policy.circuit,
    /** How far this clock is ahead of the provider's, to the second; null before its first response with a time. */
    clockSkewMs: () => skewMs,
    /** Counts of the cache of verified tokens. */
    cacheCounts: cache.counts,

    /** The endpoints, fetched by discovery if not known yet; null if discovery fails. */
    async endpoints(): Promise<Endpoints | null> {
      try {
        return endpoints ?? (await discover())
      } catch {
        return null
      }
    },

    /**
     * The provider's data about the user of a verified session token.
     * @throws DomainError `identity_provider_unavailable`, `identity_provider_invalid`, `identity_provider_refused`
     */
    async readUserData(token: string, subject: string): Promise<ParsedClaims> {
      try {
        const judged =
          options.userData === 'token'
            ? parseTokenClaims(subject, decodeJwt(token), { now: now(), ageClaim: options.ageClaim })
            : await policy.run(() => readUserinfo(token, subject))
        if (judged.refused.length > 0)
          log.warn({ claims: judged.refused }, 'identity provider: claims left out')
        return judged
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error
        log.warn({ issuer, reason: loggable(error).message }, 'identity provider: userinfo not read')
        throw problemOf(error)
      }
    },
  }
}

function problemOf(error: ProviderError): DomainError {
  if (error.kind === 'refused')
    return new DomainError(providerProblems.identity_provider_refused, { detail: REFUSED })
  if (error.kind === 'invalid') return new DomainError(providerProblems.identity_provider_invalid)
  return new DomainError(providerProblems.identity_provider_unavailable, { retryAfter: error.retryAfter })
}

/** The least recently used pause is dropped first. The cost is one more request, which the provider can refuse again. */
const MAX_PAUSES = 10_000

/**
 * Honours the provider's Retry-After (RFC 9110 §10.2.3): no request is sent before it has passed. `elapsed`: a monotonic
 * clock, in milliseconds.
 */
function createPauses(elapsed: () => number) {
  // A `max` would reserve the memory of all pauses.
  const ends = new LRUCache<string, number>({ maxSize: MAX_PAUSES, sizeCalculation: () => 1 })
  return {
    /** @throws NotAskedError with the remaining seconds */
    require(subject: string): void {
      const left = (ends.get(subject) ?? Number.NEGATIVE_INFINITY) - elapsed()
      if (left > 0) throw new NotAskedError(Math.ceil(left / 1000))
    },
    /** Starts a pause if the error has a Retry-After. */
    note(subject: string, error: unknown): void {
      if (!(error instanceof ProviderError) || error.kind !== 'unavailable') return
      if (error.retryAfter !== undefined) ends.set(subject, elapsed() + error.retryAfter * 1000)
    },
  }
}
