/** Who is calling, as verbs see it: proven by a token, whatever its kind. */
export interface Caller {
  /** `IDP_NAME`, the provider that knows the subject. */
  provider: string
  /** The provider's id of the user. */
  subject: string
  /** The session token itself, for calls to the provider on the caller's behalf. Never logged, never stored. */
  sessionToken: string
}
