/**
 * Every problem type of the API, and the error class that carries one.
 * Verbs throw `DomainError(code)`; only `http/edge/problem.ts` turns it into a response (RFC 9457).
 */
import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { SecurityEvent } from './security-events.ts'

interface ProblemType {
  status: number
  title: string
  /** Members of the problem beside the common ones. */
  members?: TObject
}

const points = (description: string) => Type.Integer({ description, minimum: 0 })

export const problemTypes = {
  malformed_request: { status: 400, title: 'The request cannot be read' },
  invalid_cursor: { status: 400, title: 'The cursor is not one of ours' },
  unauthenticated: { status: 401, title: 'Sign in first' },
  invalid_token: { status: 401, title: 'The token is not valid' },
  not_found: { status: 404, title: 'There is nothing at this path' },
  method_not_allowed: { status: 405, title: 'This path does not take this method' },
  request_timeout: { status: 408, title: 'The body took too long to arrive' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be JSON' },
  idempotency_in_progress: { status: 409, title: 'The first request under this key is still running' },
  idempotency_key_reused: { status: 422, title: 'This key was used for another request' },
  validation_failed: { status: 422, title: 'The request breaks its schema' },
  rate_limited: { status: 429, title: 'Too many requests; slow down' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  overloaded: { status: 503, title: 'Too much to do at the moment; try again shortly' },
  database_busy: { status: 503, title: 'The database is busy; try again shortly' },
  database_unavailable: { status: 503, title: 'The database is not available; try again shortly' },
  storage_full: { status: 507, title: 'There is no room left to write' },
  identity_provider_unavailable: {
    status: 503,
    title: 'The identity provider does not answer; try again shortly',
  },
  identity_provider_invalid: {
    status: 502,
    title: 'The identity provider gave an answer that cannot be used',
  },
  identity_provider_refused: { status: 502, title: 'The identity provider refused the token' },
  invalid_signature: { status: 401, title: 'The delivery is not signed as agreed' },
  invalid_refresh_token: { status: 401, title: 'The refresh token is not good' },
  session_not_found: { status: 404, title: 'You have no such session' },
  session_required: { status: 403, title: 'This needs a session token of the identity provider' },

  profile_not_found: { status: 404, title: 'You have no profile yet' },
  handle_taken: { status: 409, title: 'Another fan has this handle' },
  team_not_found: { status: 422, title: 'There is no such team' },

  reward_not_found: { status: 404, title: 'There is no such reward' },
  reward_inactive: { status: 409, title: 'The reward cannot be claimed now' },
  insufficient_points: {
    status: 409,
    title: 'Not enough points',
    members: Type.Object({
      pointsRequired: points('What it takes.'),
      points: points('What the caller has.'),
      missingPoints: points('The difference.'),
    }),
  },
  already_claimed: { status: 409, title: 'You have claimed this reward already' },
  out_of_stock: { status: 409, title: 'The last one is gone' },
  not_claimed: { status: 409, title: 'Claim the reward first' },
  pack_not_found: { status: 404, title: 'There is no such pack' },
  pack_inactive: { status: 409, title: 'The pack is not on sale now' },
  sold_out: { status: 409, title: 'The last one is sold or held' },
  too_many_holds: { status: 409, title: 'You hold as many of this pack as one fan may' },
  purchase_not_found: { status: 404, title: 'You have no such purchase' },
  purchase_expired: { status: 409, title: 'The purchase has expired; start another' },
  payment_not_confirmed: { status: 402, title: 'The payment does not pay this purchase' },
  payment_gateway_unavailable: {
    status: 503,
    title: 'The payment gateway does not answer; try again shortly',
  },
  no_payment_needed: { status: 409, title: 'This purchase needs no payment' },
  catalogue_conflict: { status: 409, title: 'The entry of the catalogue cannot become that' },
  not_refundable: { status: 409, title: 'The purchase is not to be refunded' },
  user_pack_not_found: { status: 404, title: 'You have no such pack' },
  proof_not_found: { status: 404, title: 'There is no opened pack of this id' },

  already_redeemed: { status: 409, title: 'You have redeemed this reward already' },
} as const satisfies Record<string, ProblemType>

export type ProblemCode = keyof typeof problemTypes

/** The members that a code's problem must carry. */
type MembersOf<C extends ProblemCode> = (typeof problemTypes)[C] extends { members: infer M extends TObject }
  ? Static<M>
  : unknown

/** Where in the request the fault lies (RFC 6901 pointer into the body, or a parameter's or header's name). */
export type FieldError = { message: string } & (
  | { pointer: string }
  | { parameter: string }
  | { header: string }
)

export type StatusOf<C extends ProblemCode> = (typeof problemTypes)[C]['status']

/** The problem document of a code, as clients receive it (RFC 9457). */
export type ProblemOf<C extends ProblemCode> = {
  [Code in C]: {
    type: `urn:matchday:problem:${Code}`
    title: string
    status: StatusOf<Code>
    code: Code
    detail: string
    requestId: string
    errors?: FieldError[]
  } & MembersOf<Code>
}[C]

interface Explanation {
  /** For the developer who reads the answer. Never a secret, never an internal message. */
  detail?: string
  errors?: FieldError[]
  /** Seconds after which trying again makes sense. */
  retryAfter?: number
  /** Logged with the request's id when the problem is answered, and no part of the answer. */
  security?: { event: SecurityEvent; userId?: string }
}

export class DomainError<C extends ProblemCode = ProblemCode> extends Error {
  readonly code: C
  readonly explanation: Explanation
  readonly members: MembersOf<C> | undefined

  constructor(
    code: C,
    ...[extra]: unknown extends MembersOf<C> ? [extra?: Explanation] : [extra: Explanation & MembersOf<C>]
  ) {
    super(code)
    this.name = 'DomainError'
    this.code = code
    const { detail, errors, retryAfter, security, ...members } = (extra ?? {}) as Explanation &
      Record<string, unknown>
    this.explanation = { detail, errors, retryAfter, security }
    this.members = members as MembersOf<C>
  }
}
