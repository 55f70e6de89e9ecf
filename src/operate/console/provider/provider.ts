/** What is asked of the provider of the staff: its endpoints, and whether it signed a token. */
import {
  createLocalJWKSet,
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

export interface StaffProviderDeps extends Pick<Sources, 'now'> {
  provider: StaffProviderConfig
  fetch: Fetch
}

export function createStaffProvider({ provider: { issuer, clientId }, fetch, now }: StaffProviderDeps) {
  // What the host resolves to is checked by `fetch`.
  const rules = { httpsOnly: issuer.startsWith('https:'), publicOnly: false, allowPrivate: [] }
  const issuers = [issuer, `${issuer}/`]
  return {
    /** With and without a trailing slash. */
    issuers,
    /** @throws ProviderError */
    async discover(): Promise<{ endpoints: Endpoints; document: Record<string, unknown> }> {
      const { body } = await fetchJson({ ...LIMITS, fetch, url: discoveryUrl(issuer) })
      return { endpoints: readDiscovery(body, issuer, rules), document: body }
    },
    /** That the provider signed the token, for this client. @throws ProviderError, and jose's errors */
    async verify(
      token: string,
      { jwks }: Pick<Endpoints, 'jwks'>,
      options: JWTVerifyOptions,
    ): Promise<JWTVerifyResult> {
      const keys = await fetchJson({ ...LIMITS, fetch, url: jwks })
      // Guarantee of the cast: jose checks the set.
      const set = createLocalJWKSet(keys.body as unknown as JSONWebKeySet)
      return jwtVerify(token, set, {
        ...{ issuer: issuers, audience: clientId, algorithms: ALGORITHMS },
        ...{ clockTolerance: LEEWAY_SECONDS, currentDate: now() },
        ...options,
      })
    },
  } as const
}
