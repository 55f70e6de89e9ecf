/** Reads the provider's claims about a user. Claims of the wrong type or size are left out and reported by name. */
import type { JWTPayload } from 'jose'
import { type AgeBand, isAgeBand } from '../../core/age-bands.ts'
import { MAX_URL_LENGTH } from '../../core/https-url.ts'
import { parseInstant } from '../../core/instant.ts'
import { isDeceptive, isVisible, plainName, withoutBidiControls } from '../../core/name-text.ts'

/**
 * The mirrored claims (OpenID Connect Core §5.1). Null: the user has no value. Undefined: the statement does not contain
 * the claim, and the mirror keeps its value.
 */
export interface MirroredClaims {
  email: string | null | undefined
  emailVerified: boolean | null | undefined
  name: string | null | undefined
  picture: string | null | undefined
}

export interface IdentityClaims extends MirroredClaims {
  subject: string
  /** Of the claim that IDP_AGE_CLAIM names. Null: the provider states none. Undefined: the statement does not contain it. */
  ageBand?: AgeBand | null
  /** `updated_at`, or `statedAt` if there is none. Orders the versions of a user. */
  updatedAt: Date
  /** When the provider made the statement, by its own clock if known. Orders versions with the same `updatedAt`. */
  statedAt: Date
}

export interface ParsedClaims {
  claims: IdentityClaims
  /** Names of the claims that were left out. */
  refused: string[]
}

/** The circumstances of a statement. */
export interface Statement {
  statedAt: Date
  now: Date
  /** True if an omitted claim has no value, as in userinfo (OpenID Connect Core §5.3.2). */
  complete: boolean
  /** The claim with the age band; null for none. */
  ageClaim?: string | null
}

/** How far the provider's clock may be ahead of the server's. */
const CLOCK_DIFFERENCE_MS = 300_000
/** The year 3000, in seconds since the epoch. Larger values are milliseconds sent by mistake. */
const LATEST_SECOND = 32_503_680_000

/** A time more than five minutes in the future is ignored, because it would block every later change. */
export function parseClaims(
  subject: string,
  raw: object,
  { now, complete, ageClaim = null, ...statement }: Statement,
): ParsedClaims {
  // Guarantee of the cast: nothing is known of the members.
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
  const ageBand = ageClaim === null ? undefined : take(ageClaim, ageBandIn)
  const claims = {
    subject,
    ...(ageBand !== undefined && { ageBand }),
    email: take('email', value => text(value, 320)),
    emailVerified: take('email_verified', truth),
    name: take('name', nameText),
    picture: take('picture', webAddress),
    updatedAt: take('updated_at', value => notAhead(instant(value), now)) ?? statedAt,
    statedAt,
  }
  return { claims, refused }
}

/** The claims of a session token, stated at its `iat`. */
export const parseTokenClaims = (
  subject: string,
  payload: JWTPayload,
  { now, ageClaim }: Pick<Statement, 'now' | 'ageClaim'>,
): ParsedClaims =>
  parseClaims(subject, payload, {
    statedAt: new Date((payload.iat ?? 0) * 1000),
    now,
    complete: false,
    ageClaim,
  })

/**
 * The claims of a userinfo response, stated when it was requested, by the provider's clock: its `Date` header shows the
 * difference to the second. By the server's clock, a later event of a provider whose clock is behind would seem older.
 */
export function parseUserinfo(
  subject: string,
  { body, headers }: { body: object; headers: Headers },
  requestedAt: Date,
  { now, ageClaim }: Pick<Statement, 'now' | 'ageClaim'>,
): ParsedClaims {
  const second = Date.parse(headers.get('date') ?? '')
  const ahead = second - now.getTime()
  const difference = Number.isNaN(second) ? 0 : Math.max(ahead, Math.min(0, ahead + 999))
  return parseClaims(subject, body, {
    statedAt: new Date(requestedAt.getTime() + difference),
    now,
    complete: true,
    ageClaim,
  })
}

/** A birth date or an age is left out: only a band is stored. */
const ageBandIn = (value: unknown) => (isAgeBand(value) ? value : null)

/** Cognito sends booleans as strings. */
function truth(value: unknown): boolean | null {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : null
}

function text(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string' || value.trim() === '' || value.length > maxLength) return null
  return value.isWellFormed() && !/\p{Cc}/u.test(value) ? value : null
}

/**
 * Applies the rules for names of fans: the name is cleaned if possible, and left out if it could imitate
 * another name.
 */
function nameText(value: unknown): string | null {
  const name = text(typeof value === 'string' ? plainName(withoutBidiControls(value)) : value, 200)
  return name !== null && isVisible(name) && !isDeceptive(name) ? name : null
}

/** An http(s) URL without credentials, as the WHATWG URL Standard serialises it. */
function webAddress(value: unknown): string | null {
  const url = URL.parse(text(value, MAX_URL_LENGTH) ?? '')
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  return url.href.length <= MAX_URL_LENGTH ? url.href : null
}

function notAhead(time: Date | null, now: Date): Date | null {
  return time && time.getTime() <= now.getTime() + CLOCK_DIFFERENCE_MS ? time : null
}

/** Seconds since the epoch, as the standard requires, or ISO 8601, as Auth0 and others send. */
function instant(value: unknown): Date | null {
  if (typeof value === 'string') return isoInstant(value)
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > LATEST_SECOND) return null
  return new Date(Math.round(value * 1000))
}

/** An RFC 3339 instant of the years 1970 to 3000; null for anything else. */
export function isoInstant(value: string): Date | null {
  const date = parseInstant(value)
  return date && date.getTime() >= 0 && date.getTime() <= LATEST_SECOND * 1000 ? date : null
}
