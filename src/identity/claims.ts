/** What the provider says of a user, judged claim by claim: what is mistyped or oversized is left out and named. */
import { isVisible, withoutBidiControls } from '../name-text.ts'

/** Mirrored claims of OpenID Connect Core §5.1. */
export interface IdentityClaims {
  subject: string
  email: string | null
  emailVerified: boolean | null
  name: string | null
  picture: string | null
  /** `updated_at`, or where the provider sends none, `statedAt`: orders one version after another. */
  updatedAt: Date
  /** When the provider was asked, or its event's own time: orders what one `updated_at` leaves equal. */
  statedAt: Date
}

export interface JudgedClaims {
  claims: IdentityClaims
  /** Names of the claims that were sent and cannot be used. */
  refused: string[]
}

/** By how much the provider's clock may differ from ours. */
const CLOCK_DIFFERENCE_MS = 300_000
/** Seconds since the epoch that a `Date` can hold and that are no mistaken milliseconds. */
const LATEST_SECOND = 32_503_680_000

/** `statedAt` stands in for a missing `updated_at`, and bounds the one that is sent: nothing has changed yet that will. */
export function judgeClaims(subject: string, raw: object, statedAt: Date): JudgedClaims {
  const sent = raw as Record<string, unknown>
  const refused: string[] = []
  function take<T>(name: string, accept: (value: unknown) => T | null): T | null {
    const value = sent[name]
    if (value === undefined || value === null) return null
    const taken = accept(value)
    if (taken === null) refused.push(name)
    return taken
  }
  const claims = {
    subject,
    email: take('email', value => text(value, 320)),
    emailVerified: take('email_verified', truth),
    name: take('name', nameText),
    picture: take('picture', webAddress),
    updatedAt: take('updated_at', value => notAfter(instant(value), statedAt)) ?? statedAt,
    statedAt,
  }
  return { claims, refused }
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

/** A time to come would keep every later change out. */
function notAfter(time: Date | null, statedAt: Date): Date | null {
  return time && time.getTime() <= statedAt.getTime() + CLOCK_DIFFERENCE_MS ? time : null
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
