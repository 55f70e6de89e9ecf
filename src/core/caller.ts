/** The authenticated user of a request, independent of the kind of token. */
export interface Caller {
  /** The identity provider of the subject: `IDP_NAME`. */
  provider: string
  /** `sub`: the provider's id of the user. */
  subject: string
  /** Id of the user record, if known. */
  userId?: string | undefined
}

/** A user by id, or by provider and subject. */
export type UserReference = { id: string } | Caller

/** A fan who is merged into another one. */
export interface Merge {
  fromId: string
  intoId: string
}

/** What reads need to know of a caller. */
export type CallerId = Pick<Caller, 'userId'>

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

export interface AuthenticatedCaller extends Caller {
  credential: Credential
  /** Id of the user record; undefined if there was none at the start of the request. */
  userId: string | undefined
  /** Of the profile: the language tag that the fan has chosen. */
  locale: string | null
  /** Whether another fan may be hidden from the caller by a block. */
  hasBlocks: boolean
}
