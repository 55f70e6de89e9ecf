/** What the provider says of a user, judged claim by claim: what is mistyped or oversized is left out and named. */
import type { JWTPayload } from 'jose'
import { isVisible, withoutBidiControls } from '../core/name-text.ts'

/**
 * Mirrored claims of OpenID Connect Core §5.1. Null: the user has none. Undefined: the statement says nothing about it,
 * and the mirror keeps what it has.
 */
export interface MirroredClaims {
  email: string | null | undefined
  emailVerified: boolean | null | undefined
  name: string | null | undefined
  picture: string | null | undefined
}

export interface IdentityClaims extends MirroredClaims {
  subject: string
  /** `updated_at`; without one, `statedAt`. Orders one version after another. */
  updatedAt: Date
  /** When the provider made the statement, by its own clock where it says so. Orders versions of one `updatedAt`. */
  statedAt: Date
}

export interface ParsedClaims {
  claims: IdentityClaims
  /** Names of the claims that were sent and cannot be used. */
  refused: string[]
}

/** What is known of a statement apart from its claims. */
export interface Statement {
  statedAt: Date
  now: Date
  /** Userinfo omits the claims that have no value (OpenID Connect Core §5.3.2); elsewhere an omitted claim is not stated. */
  complete: boolean
}

/** By how much the provider's clock may be ahead of ours. */
const CLOCK_DIFFERENCE_MS = 300_000
/** Seconds since the epoch that a `Date` can hold and that are no mistaken milliseconds. */
const LATEST_SECOND = 32_503_680_000

/** A time more than five minutes ahead counts as no time at all: it would keep every later change out. */
export function parseClaims(
  subject: string,
  raw: object,
  { now, complete, ...statement }: Statement,
): ParsedClaims {
  const sent = raw as Record<string, unknown>
  const statedAt = notAhead(statement.statedAt, now) ?? now
  const refused: string[] = []
  function take<T>(name: string, accept: (value: unknown) => T | null): T | null | undefined {
    const value = sent[name]
    if (value === undefined) return complete ? null : undefined
    if (value === null) return null
    const taken = accept(value)
    if (taken !== null) return taken
    refused.push(name)
    return undefined
  }
  const claims = {
    subject,
    email: take('email', value => text(value, 320)),
    emailVerified: take('email_verified', truth),
    name: take('name', nameText),
    picture: take('picture', webAddress),
    updatedAt: take('updated_at', value => notAhead(instant(value), now)) ?? statedAt,
    statedAt,
  }
  return { claims, refused }
}

/** Claims of a session token, which the provider stated when it issued the token. */
export const parseTokenClaims = (subject: string, payload: JWTPayload, now: Date): ParsedClaims =>
  parseClaims(subject, payload, { statedAt: new Date((payload.iat ?? 0) * 1000), now, complete: false })

/**
 * Claims of userinfo, stated when we asked. By the provider's clock, which its answer's `Date` tells to the second: else
 * an event of a provider whose clock is behind ours would seem to be older than the answer before it.
 */
export function parseUserinfo(
  subject: string,
  { body, headers }: { body: object; headers: Headers },
  askedAt: Date,
  now: Date,
): ParsedClaims {
  const second = Date.parse(headers.get('date') ?? '')
  const ahead = second - now.getTime()
  const difference = Number.isNaN(second) ? 0 : Math.max(ahead, Math.min(0, ahead + 999))
  return parseClaims(subject, body, {
    statedAt: new Date(askedAt.getTime() + difference),
    now,
    complete: true,
  })
}

/** Cognito sends it as text. */
function truth(value: unknown): boolean | null {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : null
}

function text(value: unknown, most: number): string | null {
  if (typeof value !== 'string' || value.trim() === '' || value.length > most) return null
  return value.isWellFormed() && !/\p{Cc}/u.test(value) ? value : null
}

function nameText(value: unknown): string | null {
  const name = text(typeof value === 'string' ? withoutBidiControls(value) : value, 200)
  return name !== null && isVisible(name) ? name : null
}

/** As the WHATWG URL Standard serialises it. */
function webAddress(value: unknown): string | null {
  const url = URL.parse(text(value, 2048) ?? '')
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  return url.href.length <= 2048 ? url.href : null
}

function notAhead(time: Date | null, now: Date): Date | null {
  return time && time.getTime() <= now.getTime() + CLOCK_DIFFERENCE_MS ? time : null
}

/** Seconds since the epoch, by the standard; Auth0 and others send ISO 8601 text. */
function instant(value: unknown): Date | null {
  if (typeof value === 'string') return isoInstant(value)
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > LATEST_SECOND) return null
  return new Date(Math.round(value * 1000))
}

/** ISO 8601 with its zone; null for anything else. */
export function isoInstant(value: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/.test(value)) return null
  const date = new Date(value)
  return Number.isNaN(date.getTime()) || date.getTime() < 0 || date.getTime() > LATEST_SECOND * 1000
    ? null
    : date
}
