/** What is asked of the provider of the staff: its endpoints, and whether it signed a token. */
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

/** For how long an answer of the provider is used again: a forged token does not make a request to it. */
const CACHED_MS = 10_000
/** A key that is unknown is looked for again after as long. */
const REFRESH_MS = 1_000

export interface StaffProviderDeps extends Pick<Sources, 'now'> {
  provider: StaffProviderConfig
  fetch: Fetch
  /** Milliseconds of a clock that never goes back. */
  elapsed: () => number
}

export function createStaffProvider({
  provider: { issuer, clientId },
  fetch,
  now,
  elapsed,
}: StaffProviderDeps) {
  const cached = new Map<string, { at: number; body: Promise<Record<string, unknown>> }>()

  /** Requests at the same time share an answer. A failure is not kept. */
  function read(url: string): Promise<Record<string, unknown>> {
    const known = cached.get(url)
    if (known && elapsed() - known.at < CACHED_MS) return known.body
    const body = fetchJson({ ...LIMITS, fetch, url }).then(response => response.body)
    cached.set(url, { at: elapsed(), body })
    body.catch(() => cached.delete(url))
    return body
  }

  // What the host resolves to is checked by `fetch`.
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
    /** That the provider signed the token, for this client. @throws ProviderError, and jose's errors */
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
        // A key that is new: asked for once a second at most.
        const age = elapsed() - (cached.get(jwks)?.at ?? 0)
        if (!(error instanceof errors.JWKSNoMatchingKey) || age < REFRESH_MS) throw error
        cached.delete(jwks)
        return jwtVerify(token, await keys(), rules)
      }
    },
  } as const
}
