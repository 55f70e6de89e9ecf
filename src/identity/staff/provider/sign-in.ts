/** The OpenID provider of the staff: authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636). */
import { createHash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { Sources } from '../../../../db/index.ts'
import { isSameSecret } from '../../../core/constant-time.ts'
import type { Encryption } from '../../../core/encryption.ts'
import { providerIdOf } from '../../../core/staff-ids.ts'
import { type Fetch, fetchJson, ProviderError } from '../../../platform/identity-provider/fetch-json.ts'
import { ROLES, type Role } from '../roles.ts'
import { mintSecret } from '../sessions/secrets.ts'
import { nameFault, type Staff } from '../staff.ts'
import { createStaffProvider, LIMITS, type StaffProviderDeps } from './provider.ts'

/** OpenID Connect Core 1.0 §2. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/
/** Time for the sign-in at the provider. */
export const ATTEMPT_MS = 600_000
/** Binds encrypted attempts to their purpose. */
const OWNER = 'attempt'
/** Characters of the id of a session at the provider. */
const MAX_SID = 255

/** Why nobody was signed in, for the page. */
export type SignInFault = 'denied' | 'expired' | 'no_role' | 'provider'

export class SignInRefused extends Error {
  constructor(
    readonly fault: SignInFault,
    /** For the log, without values of the response. */
    message: string,
    /** Id of a person who no longer has a role. */
    readonly staffId: string | null = null,
  ) {
    super(message)
    this.name = 'SignInRefused'
  }
}

/** Binds the response of the provider to this browser. It is encrypted in a cookie. */
export interface Attempt {
  state: string
  nonce: string
  verifier: string
  /** Milliseconds. */
  endsAt: number
}

interface Options extends StaffProviderDeps, Pick<Sources, 'randomBytes'> {
  redirectUri: string
  signInEncryption: Encryption
}

type ProviderResponse = Record<string, string | undefined>

/** Who signed in. */
interface SignedIn {
  staff: Staff
  /** The `sid` of the ID token, which identifies the session at the provider; null if there is none. */
  sid: string | null
}

export function createStaffSignIn({ redirectUri, randomBytes, signInEncryption, ...deps }: Options) {
  const { fetch, now } = deps
  const { clientId, clientSecret, issuer, roleClaim } = deps.provider
  const { discover: readEndpoints, issuers, verify } = createStaffProvider(deps)

  async function discover() {
    const { endpoints, document } = await readEndpoints()
    const { authorization, token, jwks } = endpoints
    if (!authorization || !token) throw new ProviderError('it has no endpoints to sign in', 'invalid')
    const methods = document.token_endpoint_auth_methods_supported
    const takesBasic = !Array.isArray(methods) || methods.includes('client_secret_basic')
    return { authorization, token, jwks, takesBasic }
  }

  async function redeem(code: string, { verifier }: Attempt): Promise<JWTPayload> {
    const { token, jwks, takesBasic } = await discover()
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }
    const inForm = clientSecret === null || !takesBasic
    const body = new URLSearchParams({
      ...form,
      ...(inForm ? { client_id: clientId } : {}),
      ...(inForm && clientSecret !== null ? { client_secret: clientSecret } : {}),
    })
    const authorized: Fetch = request => {
      if (!inForm) request.headers.set('authorization', basicOf(clientId, clientSecret ?? ''))
      return fetch(request)
    }
    const response = await fetchJson({ ...LIMITS, fetch: authorized, url: token, body })
    const { id_token: idToken } = response.body
    if (typeof idToken !== 'string') throw new SignInRefused('provider', 'the provider sent no ID token')
    const { payload } = await verify(idToken, { jwks }, { requiredClaims: ['sub', 'exp', 'iat', 'nonce'] })
    return payload
  }

  return {
    /** The address of the provider's page, and the value of the cookie. @throws ProviderError */
    async begin(): Promise<{ location: string; cookie: string }> {
      const { authorization } = await discover()
      const attempt = {
        state: mintSecret(randomBytes),
        nonce: mintSecret(randomBytes),
        verifier: mintSecret(randomBytes),
        endsAt: now().getTime() + ATTEMPT_MS,
      } satisfies Attempt
      const location = new URL(authorization)
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: createHash('sha256').update(attempt.verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value)
      const cookie = signInEncryption.encrypt(JSON.stringify(attempt), OWNER, randomBytes(12))
      return { location: location.href, cookie }
    },
    /**
     * Checks a response of the provider, without a request, and returns its code with the attempt. `cookie`: the value that
     * `begin` returned. @throws SignInRefused
     */
    read(response: ProviderResponse, cookie: string | undefined): { code: string; attempt: Attempt } {
      const text = cookie === undefined ? null : signInEncryption.decrypt(cookie, OWNER)
      // Guarantee of the cast: nothing else is encrypted with this key.
      const attempt = text === null ? null : (JSON.parse(text) as Attempt)
      // Another site may have sent the browser here with its own code.
      if (!attempt || attempt.endsAt <= now().getTime() || !isSameSecret(response.state ?? '', attempt.state))
        throw new SignInRefused('expired', 'the response is of no sign-in of this browser')
      // RFC 9207: the response must come from this provider.
      if (response.iss !== undefined && !issuers.includes(response.iss))
        throw new SignInRefused('provider', 'the response is of another issuer')
      if (response.code === undefined) throw new SignInRefused('denied', 'the provider refused the sign-in')
      return { code: response.code, attempt }
    },
    /**
     * Exchanges the code at the provider for the identity of the person. @throws SignInRefused, ProviderError, and errors of
     * jose
     */
    async finish({ code, attempt }: { code: string; attempt: Attempt }): Promise<SignedIn> {
      const claims = await redeem(code, attempt)
      if (!isSameSecret(String(claims.nonce), attempt.nonce))
        throw new SignInRefused('provider', 'the ID token is of another sign-in')
      if (Array.isArray(claims.aud) && claims.aud.length > 1 && claims.azp !== clientId)
        throw new SignInRefused('provider', 'the ID token is for another client')
      const { sub } = claims
      if (typeof sub !== 'string' || !SUBJECT.test(sub))
        throw new SignInRefused('provider', 'the subject of the ID token is not 1 to 255 characters of ASCII')
      const role = readRole(claims, roleClaim)
      const id = providerIdOf(issuer, sub)
      if (role === null) throw new SignInRefused('no_role', `the claim ${roleClaim} has no role`, id)
      const { sid } = claims
      return {
        staff: { id, name: nameOf(claims), role },
        sid: typeof sid === 'string' && sid.length <= MAX_SID ? sid : null,
      }
    },
  } as const

  function nameOf({ name, preferred_username: username, email, sub = '' }: JWTPayload): string {
    const named = [name, username, email].find(text => typeof text === 'string' && nameFault(text) === null)
    return typeof named === 'string' ? named : `Staff ${sub.slice(0, 60)}`
  }
}

/** RFC 6749 §2.3.1: both are form-encoded first. */
const basicOf = (clientId: string, secret: string) =>
  `Basic ${Buffer.from([clientId, secret].map(encodeURIComponent).join(':')).toString('base64')}`

/** Groups of a provider may have a prefix, as in `matchday-owner`. */
const PREFIX = /^matchday[-_:/]/

/**
 * The claim is a list of texts, or one text. With several roles, the last one in the order of `ROLES` counts. Null without a
 * role.
 */
export function readRole(claims: Record<string, unknown>, path: string): Role | null {
  const value = claims[path] ?? path.split('.').reduce<unknown>(memberOf, claims)
  const values = [value].flat().map(one => (typeof one === 'string' ? one.replace(PREFIX, '') : null))
  return ROLES.findLast(role => values.includes(role)) ?? null
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? // Guarantee of the cast: it has a member of this name.
      (value as Record<string, unknown>)[name]
    : undefined
