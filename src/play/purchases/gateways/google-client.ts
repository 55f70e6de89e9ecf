/** Requests to the Google Play Developer API, as a service account. */

import { importPKCS8, SignJWT } from 'jose'
import type { Logger } from 'pino'
import { DomainError } from '../../../core/problems.ts'
import type { AppSources } from '../../../core/sources.ts'
import type { GoogleConfig } from '../../../platform/config/stores.ts'
import {
  type Fetch,
  fetchJson,
  type JsonRequest,
  ProviderError,
} from '../../../platform/identity-provider/fetch-json.ts'
import {
  createResiliencePolicy,
  type ResilienceOptions,
} from '../../../platform/identity-provider/resilience-policy.ts'
import { purchaseProblems } from '../problems.ts'

const API = 'https://androidpublisher.googleapis.com'
const TOKENS = 'https://oauth2.googleapis.com/token'
const SCOPE = 'https://www.googleapis.com/auth/androidpublisher'
const DEADLINE_MS = 5_000
const MAX_BYTES = 65_536
/** Lifetime of an assertion; Google's maximum is an hour. */
const ASSERTION_SECONDS = 600
/** A token is replaced this long before it expires. */
const EARLY_MS = 60_000

export interface GoogleOptions {
  fetch: Fetch
  log?: Logger | undefined
  now: AppSources['now']
  resilience?: ResilienceOptions | undefined
}

type Body = Record<string, unknown>

export function createGoogleClient(config: GoogleConfig, options: GoogleOptions) {
  const { packageName, account, apiBase } = config
  const { fetch, log, now, resilience } = options
  const policy = createResiliencePolicy(resilience)
  const bounds = { fetch, deadlineMs: resilience?.deadlineMs ?? DEADLINE_MS, maxBytes: MAX_BYTES }
  const tokenUrl = apiBase ? `${apiBase}/token` : TOKENS
  const application = `${apiBase ?? API}/androidpublisher/v3/applications/${packageName}`
  let token: { value: string; until: number } | undefined
  let granting: Promise<string> | undefined

  const send = (request: Omit<JsonRequest, keyof typeof bounds>) =>
    policy.run(async () => (await fetchJson({ ...bounds, ...request })).body)

  async function grant(): Promise<string> {
    const at = now().getTime()
    const seconds = Math.floor(at / 1000)
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(account.keyId ? { kid: account.keyId } : {}) })
      .setIssuer(account.clientEmail)
      .setAudience(tokenUrl)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + ASSERTION_SECONDS)
      .sign(await importPKCS8(account.privateKey, 'RS256'))
    const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
    const body = new URLSearchParams({ grant_type: grantType, assertion })
    const { access_token: value, expires_in: lifetime } = await send({ url: tokenUrl, body })
    if (typeof value !== 'string' || typeof lifetime !== 'number')
      throw new ProviderError('its response has no token', 'invalid')
    token = { value, until: at + lifetime * 1000 - EARLY_MS }
    return value
  }

  /** Concurrent requests share one grant. */
  function tokenOf(): Promise<string> {
    if (token && token.until > now().getTime()) return Promise.resolve(token.value)
    granting ??= grant().finally(() => {
      granting = undefined
    })
    return granting
  }

  /**
   * Null: Google does not know the object, or rejects the request as invalid. @throws DomainError
   * `payment_gateway_unavailable` in all other cases, also for a refused key
   */
  async function ask(path: string, body?: object): Promise<Body | null> {
    try {
      const sent = body === undefined ? {} : { body: JSON.stringify(body), mayBeEmpty: true }
      return await send({ url: `${application}${path}`, token: await tokenOf(), ...sent })
    } catch (error) {
      const { kind, status } =
        error instanceof ProviderError ? error : { kind: 'unavailable', status: undefined }
      if (kind === 'invalid' && status !== undefined && status >= 400) return null
      if (kind === 'refused') token = undefined
      // Logs no path, since it contains the token of the purchase.
      log?.error({ google: { kind, status } }, 'Google Play refused the request or is unavailable')
      throw new DomainError(purchaseProblems.payment_gateway_unavailable)
    }
  }
  return { ask }
}
