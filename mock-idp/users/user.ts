/**
 * The claims of a generated fan (OpenID Connect Core §5.1). `presentUser` adds `picture`.
 */
export interface Fan {
  /** Stable and opaque: `fan-0001`, `fan-0002`, … */
  sub: string
  name: string
  given_name: string
  family_name: string
  /** Unique, `^[a-z0-9_]{3,20}$`. */
  preferred_username: string
  /** Unique, at example.com, example.net or example.org. */
  email: string
  email_verified: boolean
  /** BCP 47. */
  locale: string
  /** IANA time zone. */
  zoneinfo: string
  /** Seconds since the epoch. */
  updated_at: number
}

/** A user of the provider. A generated fan has every claim; a test may create or change a user without some. */
export type User = Pick<Fan, 'sub' | 'updated_at'> & Partial<Fan> & { picture?: string }

/**
 * A user as userinfo, webhooks and the control interface return it: `sub` first, with the provider's avatar as
 * `picture` unless the user has another.
 */
export function presentUser(user: User, issuer: string): User {
  const { sub, ...claims } = user
  return { sub, picture: `${issuer}/avatars/${encodeURIComponent(sub)}.png`, ...claims }
}
