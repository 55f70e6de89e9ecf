import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { Refusal } from './refusal.ts'

/** Lifetimes in milliseconds. */
const codeLifetime = 60_000
const refreshLifetime = 30 * 24 * 3_600_000

/** What a fan allowed a client: everything issued from one sign-in hangs on it and dies with it. */
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
  state: 'fresh' | 'spoilt' | 'exchanged'
}

interface RefreshToken {
  grant: Grant
  expiresAt: number
  spent: boolean
}

/** A browser that has signed in, for `prompt=none` and "continue as". */
export interface BrowserSession {
  sub: string
  /** Seconds since the epoch. */
  authTime: number
}

/** Codes, refresh tokens, browser sessions and what was revoked, in memory. */
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

  /** An authorization code: one use, 60 s (RFC 6749 §4.1.2). `challenge` is the S256 code challenge of RFC 7636. */
  issueCode(
    grant: Omit<Grant, 'sid'>,
    { redirectUri, challenge }: { redirectUri: string; challenge: string },
  ): string {
    const code = randomBytes(32).toString('base64url')
    const expiresAt = this.#clock.now() + codeLifetime
    this.#codes.set(code, {
      grant: { ...grant, sid: randomUUID() },
      redirectUri,
      challenge,
      expiresAt,
      state: 'fresh',
    })
    return code
  }

  /**
   * Exchanges a code. A second exchange revokes what the first one gave; a wrong verifier spoils the code.
   * @throws Refusal 400 `invalid_grant`
   */
  redeemCode(code: string, claim: { clientId: string; redirectUri: string; verifier: string }): Grant {
    const held = this.#codes.get(code)
    if (!held) throw new Refusal(400, 'invalid_grant', 'The code is unknown.')
    const { state } = held
    if (state === 'exchanged') {
      this.revokeGrant(held.grant.sid)
      throw new Refusal(400, 'invalid_grant', 'The code was used before; the tokens it gave are revoked.')
    }
    held.state = 'spoilt'
    const challenge = createHash('sha256').update(claim.verifier).digest('base64url')
    if (state === 'spoilt')
      throw new Refusal(400, 'invalid_grant', 'The code was spoilt by a failed attempt.')
    if (held.expiresAt <= this.#clock.now()) throw new Refusal(400, 'invalid_grant', 'The code has expired.')
    if (held.grant.clientId !== claim.clientId) {
      throw new Refusal(400, 'invalid_grant', 'The code was issued to another client.')
    }
    if (held.redirectUri !== claim.redirectUri) {
      throw new Refusal(400, 'invalid_grant', 'redirect_uri is not the one the code was sent to.')
    }
    if (held.challenge !== challenge) {
      throw new Refusal(400, 'invalid_grant', 'code_verifier does not match the code_challenge.')
    }
    held.state = 'exchanged'
    return held.grant
  }

  /** A refresh token: opaque, one use, 30 days. */
  issueRefreshToken(grant: Grant): string {
    const token = randomBytes(32).toString('base64url')
    this.#refreshTokens.set(token, { grant, expiresAt: this.#clock.now() + refreshLifetime, spent: false })
    return token
  }

  /**
   * Spends a refresh token; the caller issues the next one. A spent one coming back revokes the whole grant.
   * @throws Refusal 400 `invalid_grant`
   */
  spendRefreshToken(token: string, clientId: string): Grant {
    const held = this.#refreshTokens.get(token)
    if (!held || held.grant.clientId !== clientId) {
      throw new Refusal(400, 'invalid_grant', 'The refresh token is unknown or belongs to another client.')
    }
    if (held.spent) {
      this.revokeGrant(held.grant.sid)
      throw new Refusal(
        400,
        'invalid_grant',
        'The refresh token was used before; its whole grant is revoked.',
      )
    }
    if (this.#revokedGrants.has(held.grant.sid))
      throw new Refusal(400, 'invalid_grant', 'The grant was revoked.')
    if (held.expiresAt <= this.#clock.now())
      throw new Refusal(400, 'invalid_grant', 'The refresh token has expired.')
    held.spent = true
    return held.grant
  }

  /** The grant of a refresh token of that client, spent or not. */
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

  /** Whether an access token with these claims was revoked, itself or with its grant. */
  isRevoked({ sid, jti }: Record<string, unknown>): boolean {
    return this.#revokedGrants.has(String(sid)) || this.#revokedTokens.has(String(jti))
  }

  /** Remembers a browser's sign-in under a fresh id, for its cookie. */
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

  /** Forgets everything. Tokens out there die with the signing keys. */
  reset(): void {
    for (const held of [this.#codes, this.#refreshTokens, this.#browsers]) held.clear()
    this.#revokedGrants.clear()
    this.#revokedTokens.clear()
  }
}
