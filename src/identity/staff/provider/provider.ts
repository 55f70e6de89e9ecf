/** Requests to the provider of the staff: its endpoints, and the verification of tokens. */
import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import type { Sources } from '../../../../db/index.ts'
import type { StaffProviderConfig } from '../../../platform/config/console.ts'
import { discoveryUrl, type Endpoints, readDiscovery } from '../../../platform/identity-provider/discovery.ts'
import { type Fetch, fetchJson } from '../../../platform/identity-provider/fetch-json.ts'

export const LIMITS = { deadlineMs: 10_000, maxBytes: 256 * 1024 }
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
export const LEEWAY_SECONDS = 30

/** How long responses of the provider are cached, so that a forged token causes no request. */
const CACHED_MS = 10_000
/** An unknown key is looked up again after this time. */
const REFRESH_MS = 1_000

export interface StaffProviderDeps extends Pick<Sources, 'now'> {
  provider: StaffProviderConfig
  fetch: Fetch
  /** Monotonic clock, in milliseconds. */
  elapsed: () => number
}

export function createStaffProvider({
  provider: { issuer, clientId },
  fetch,
  now,
  elapsed,
}: StaffProviderDeps) {
  const cached = new Map<string, { at: number; body: Promise<Record<string, unknown>> }>()

  /** Concurrent requests share a response. Failures are not cached. */
  function read(url: string): Promise<Record<string, unknown>> {
    const known = cached.get(url)
    if (known && elapsed() - known.at < CACHED_MS) return known.body
    const body = fetchJson({ ...LIMITS, fetch, url }).then(response => response.body)
    cached.set(url, { at: elapsed(), body })
    body.catch(() => cached.delete(url))
    return body
  }

  // `fetch` checks the addresses that the host resolves to.
  const rules = { httpsOnly: issuer.startsWith('https:'), publicOnly: false, allowPrivate: [] }
  const issuers = [issuer, `${issuer}/`]
  return {
    /** With and without a trailing slash. */
    issuers,
    /** @throws ProviderError */
    async discover(): Promise<{ endpoints: Endpoints; document: Record<string, unknown> }> {
      const body = await read(discoveryUrl(issuer))
      return { endpoints: readDiscovery(body, issuer, rules), document: body }
    },
    /** Verifies that the provider signed the token for this client. @throws ProviderError, and errors of jose */
    async verify(
      token: string,
      { jwks }: Pick<Endpoints, 'jwks'>,
      options: JWTVerifyOptions,
    ): Promise<JWTVerifyResult> {
      // Guarantee of the cast: jose checks the set.
      const keys = async () => createLocalJWKSet((await read(jwks)) as unknown as JSONWebKeySet)
      const rules = {
        issuer: issuers,
        audience: clientId,
        algorithms: ALGORITHMS,
        clockTolerance: LEEWAY_SECONDS,
        currentDate: now(),
        ...options,
      }
      try {
        return await jwtVerify(token, await keys(), rules)
      } catch (error) {
        // The key may be new: looked up at most once a second.
        const age = elapsed() - (cached.get(jwks)?.at ?? 0)
        if (!(error instanceof errors.JWKSNoMatchingKey) || age < REFRESH_MS) throw error
        cached.delete(jwks)
        return jwtVerify(token, await keys(), rules)
      }
    },
  } as const
}
