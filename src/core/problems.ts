/**
 * The error that carries a problem type. Verbs throw `DomainError(code)`; only `http/edge/problem.ts` turns it into a response
 * (RFC 9457).
 */
import type { Static, TObject } from '@sinclair/typebox'
import type { problemTypes } from './problem-types.ts'
import type { SecurityEvent, SecurityEventMembers } from './security-events.ts'

export type ProblemCode = keyof typeof problemTypes

/** The additional members of a problem. */
type MembersOf<C extends ProblemCode> = (typeof problemTypes)[C] extends { members: infer M extends TObject }
  ? Static<M>
  : unknown

/** Where the error is: a JSON Pointer into the body (RFC 6901), or the name of a parameter or header. */
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
  /** For developers of clients. Contains no secret and no internal message. */
  detail?: string
  errors?: FieldError[]
  /** Seconds until a retry can succeed. */
  retryAfter?: number
  /** Logged with the request id. Not part of the response. */
  security?: SecurityEventMembers & { event: SecurityEvent }
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

/** @throws DomainError `validation_failed` for one field of the request */
export function refuseField(error: FieldError): never {
  throw new DomainError('validation_failed', { errors: [error] })
}
