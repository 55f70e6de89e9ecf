/** Who is calling, as verbs see it: proven by a token, whatever its kind. */
export interface Caller {
  /** `IDP_NAME`, the provider that knows the subject. */
  provider: string
  /** The provider's id of the user. */
  subject: string
  /** Id of the caller's record, where it is known. */
  userId?: string | undefined
}

/** How the caller proved it. */
export type Credential =
  /** A session token of the provider. The token itself is for calls on the caller's behalf: never logged. */
  | { kind: 'session'; token: string; tokenId: string; issuedAt: Date; expiresAt: Date }
  /** A native token of ours. */
  | { kind: 'native'; sessionId: string }

export interface AuthenticatedCaller extends Caller {
  credential: Credential
  /** Id of the caller's record; undefined when there was none as the request came. */
  userId: string | undefined
}
