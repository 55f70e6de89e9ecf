/** Each code, with the status of a response to it. */
const STATUSES = {
  /** A header of Standard Webhooks is missing. */
  headers_missing: 400,
  /** The message was signed too long ago, or in the future: a replay, or a wrong clock. */
  timestamp_outside_tolerance: 400,
  /** No signature matches this body with one of the secrets. */
  signature_mismatch: 401,
  /** The signed body is not a message of Matchday. */
  message_unreadable: 400,
  token_missing: 401,
  token_expired: 401,
  /** The token is malformed, forged, or of another issuer, audience or type. */
  token_refused: 401,
  /** The keys of the API cannot be read now, so the token could not be verified. */
  keys_unavailable: 503,
} as const

export type VerificationErrorCode = keyof typeof STATUSES

/** Why a webhook or a token is not accepted. `message` is for the log: it contains neither secret nor token. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError'
  readonly code: VerificationErrorCode
  /** For the response: 400, 401 or 503. */
  readonly status: number

  constructor(code: VerificationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = STATUSES[code]
  }
}
