/** A user at an identity provider, as named in a token. */
export interface Subject {
  /** The identity provider: `IDP_NAME`. */
  provider: string
  /** `sub`: the provider's id of the user. */
  subject: string
}

/** The fan who reads. */
export interface Viewer {
  /** Id of the fan's record; `NOBODY` without one. */
  userId: string
}

/**
 * Matches no row, since no id is empty: callers without a record or a token see the same as a fan without any
 * data.
 */
export const NOBODY = ''

export const viewerOf = (viewer: Viewer | null): Viewer => viewer ?? { userId: NOBODY }

/** The fan of a write: `write` has locked the record, or created it. */
export interface Caller extends Subject {
  /** Id of the fan's record. */
  userId: string
  /** Whether this unit of work has created the record. */
  isNew: boolean
  /** What `findStoredLimits` would find, if the lock has read it. */
  ownLimits?: string | null
}

/** A user by id, or by provider and subject. */
export type UserReference = { id: string } | Subject

/** A fan who is merged into another one. */
export interface Merge {
  fromId: string
  intoId: string
}

/** The token of the request. */
export type Credential =
  /** A session token of the provider. `token` is for requests to the provider and must not be logged. */
  | {
      kind: 'session'
      token: string
      tokenId: string
      issuedAt: Date
      expiresAt: Date
      /** When the user authenticated at the provider, as far as the token says. */
      authenticatedAt: Date
    }
  /** A native token, issued by this API. */
  | { kind: 'native'; sessionId: string; expiresAt: Date }

/**
 * The sender of the request according to the token. Used for reads; for writes, `write` passes a `Caller`.
 */
export interface AuthenticatedCaller extends Subject, Viewer {
  credential: Credential
  /** The language tag that the fan has chosen in the profile. */
  locale: string | null
  /** Whether another fan may be hidden from the caller by a block. */
  hasBlocks: boolean
}
