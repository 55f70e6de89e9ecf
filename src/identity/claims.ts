/** What the provider says of a user, judged claim by claim: what is mistyped or oversized is left out and named. */

/** Mirrored claims of OpenID Connect Core §5.1. */
export interface IdentityClaims {
  subject: string
  email: string | null
  emailVerified: boolean | null
  name: string | null
  picture: string | null
  /** `updated_at`, or where the provider sends none, when it was asked: orders one version after another. */
  updatedAt: Date
}

export interface JudgedClaims {
  claims: IdentityClaims
  /** Names of the claims that were sent and cannot be used. */
  refused: string[]
}

/** Seconds since the epoch that a `Date` can hold and that are no mistaken milliseconds. */
const LATEST_SECOND = 32_503_680_000

/** `askedAt` stands in for a missing `updated_at`. */
export function judgeClaims(subject: string, raw: object, askedAt: Date): JudgedClaims {
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
    emailVerified: take('email_verified', value => (typeof value === 'boolean' ? value : null)),
    name: take('name', value => text(value, 200)),
    picture: take('picture', webAddress),
    updatedAt: take('updated_at', instant) ?? askedAt,
  }
  return { claims, refused }
}

function text(value: unknown, most: number): string | null {
  if (typeof value !== 'string' || value.trim() === '' || value.length > most) return null
  return value.isWellFormed() && !/\p{Cc}/u.test(value) ? value : null
}

function webAddress(value: unknown): string | null {
  const address = text(value, 2048)
  return address && /^https?:$/.test(URL.parse(address)?.protocol ?? '') ? address : null
}

function instant(value: unknown): Date | null {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > LATEST_SECOND) return null
  return new Date(Math.round(value * 1000))
}
