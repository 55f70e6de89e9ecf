import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { OAuthError } from './oauth-error.ts'

/** Lifetimes in milliseconds. */
const codeLifetime = 60_000
const refreshLifetime = 30 * 24 * 3_600_000

const invalidGrant = (description: string) => new OAuthError(400, 'invalid_grant', description)

/** The access that a fan allowed a client. Revoking it revokes every token from that sign-in. */
export interface Grant {
  /** The `sid` claim of its tokens. */
  sid: string
  sub: string
  clientId: string
  /** Space separated. */
  scope: string
  nonce?: string
  /** Seconds since the epoch. */
  authTime: number
}

interface Code {
  grant: Grant
  redirectUri: string
  challenge: string
  expiresAt: number
  state: 'fresh' | 'failed' | 'exchanged'
}

interface RefreshToken {
  grant: Grant
  expiresAt: number
  used: boolean
}

/** A browser that has signed in, for `prompt=none` and "continue as". */
export interface BrowserSession {
  sub: string
  /** Seconds since the epoch. */
  authTime: number
}

/** Codes, refresh tokens, browser sessions and revocations, in memory. */
export class Grants {
  readonly #clock: Clock
  readonly #codes = new Map<string, Code>()
  readonly #refreshTokens = new Map<string, RefreshToken>()
  readonly #browsers = new Map<string, BrowserSession>()
  readonly #revokedGrants = new Set<string>()
  readonly #revokedTokens = new Set<string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A single-use authorization code, valid for 60 s (RFC 6749 §4.1.2). `challenge` is the S256 code challenge of RFC 7636. */
  issueCode(
    grant: Omit<Grant, 'sid'>,
    { redirectUri, challenge }: { redirectUri: string; challenge: string },
  ): string {
    const code = randomBytes(32).toString('base64url')
    const expiresAt = this.#clock.now() + codeLifetime
    const withSid = { ...grant, sid: randomUUID() }
    this.#codes.set(code, { grant: withSid, redirectUri, challenge, expiresAt, state: 'fresh' })
    return code
  }

  /**
   * Exchanges a code. A failed attempt makes the code unusable; a second exchange revokes the grant.
   * @throws OAuthError 400 `invalid_grant`
   */
  redeemCode(code: string, claim: { clientId: string; redirectUri: string; verifier: string }): Grant {
    const stored = this.#codes.get(code)
    if (!stored) throw invalidGrant('The code is unknown.')
    const { state } = stored
    if (state === 'exchanged') {
      this.revokeGrant(stored.grant.sid)
      throw invalidGrant('The code was used before; its tokens are revoked.')
    }
    stored.state = 'failed'
    const challenge = createHash('sha256').update(claim.verifier).digest('base64url')
    if (state === 'failed') throw invalidGrant('The code is unusable after a failed attempt.')
    if (stored.expiresAt <= this.#clock.now()) throw invalidGrant('The code has expired.')
    if (stored.grant.clientId !== claim.clientId) throw invalidGrant('The code was issued to another client.')
    if (stored.redirectUri !== claim.redirectUri)
      throw invalidGrant('redirect_uri differs from that of the authorization request.')
    if (stored.challenge !== challenge) throw invalidGrant('code_verifier does not match the code_challenge.')
    stored.state = 'exchanged'
    return stored.grant
  }

  /** A single-use opaque refresh token, valid for 30 days. */
  issueRefreshToken(grant: Grant): string {
    const token = randomBytes(32).toString('base64url')
    this.#refreshTokens.set(token, { grant, expiresAt: this.#clock.now() + refreshLifetime, used: false })
    return token
  }

  /**
   * Marks a refresh token as used; the caller issues the next one. Reuse revokes the whole grant.
   * @throws OAuthError 400 `invalid_grant`
   */
  redeemRefreshToken(token: string, clientId: string): Grant {
    const stored = this.#refreshTokens.get(token)
    if (!stored || stored.grant.clientId !== clientId)
      throw invalidGrant('The refresh token is unknown or belongs to another client.')
    if (stored.used) {
      this.revokeGrant(stored.grant.sid)
      throw invalidGrant('The refresh token was used before; its grant is revoked.')
    }
    if (this.#revokedGrants.has(stored.grant.sid)) throw invalidGrant('The grant was revoked.')
    if (stored.expiresAt <= this.#clock.now()) throw invalidGrant('The refresh token has expired.')
    stored.used = true
    return stored.grant
  }

  /** The grant of a refresh token of that client, used or not. */
  findByRefreshToken(token: string, clientId: string): Grant | undefined {
    const grant = this.#refreshTokens.get(token)?.grant
    return grant?.clientId === clientId ? grant : undefined
  }

  revokeGrant(sid: string): void {
    this.#revokedGrants.add(sid)
  }

  revokeToken(jti: string): void {
    this.#revokedTokens.add(jti)
  }

  /** Whether an access token with these claims, or its grant, was revoked. */
  isRevoked({ sid, jti }: Record<string, unknown>): boolean {
    return this.#revokedGrants.has(String(sid)) || this.#revokedTokens.has(String(jti))
  }

  /** Stores a browser's sign-in and returns the id for its cookie. */
  openBrowserSession(session: BrowserSession): string {
    const id = randomBytes(32).toString('base64url')
    this.#browsers.set(id, session)
    return id
  }

  findBrowserSession(id: string | undefined): BrowserSession | undefined {
    return id === undefined ? undefined : this.#browsers.get(id)
  }

  closeBrowserSession(id: string | undefined): void {
    if (id !== undefined) this.#browsers.delete(id)
  }

  /** Deletes everything. Access tokens in use become invalid because the key ring is reset too. */
  reset(): void {
    for (const stored of [this.#codes, this.#refreshTokens, this.#browsers]) stored.clear()
    for (const revoked of [this.#revokedGrants, this.#revokedTokens]) revoked.clear()
  }
}
