/**
 * Problem types, and the error that carries one. A room declares its problems in its `problems.ts`; verbs throw
 * `DomainError(type)`; only `platform/http/edge/problem.ts` turns it into a response (RFC 9457).
 */

import type { SecurityEvent, SecurityEventMembers } from './security-events.ts'
import type { Static, TObject } from './typebox.ts'

interface Declaration {
  status: number
  title: string
  /** When it occurs, and what the client does. */
  description: string
  /** Members of the problem document in addition to the common ones. */
  members?: TObject
  /** Values of the additional members, for the OpenAPI document. */
  example?: Record<string, unknown>
}

export interface ProblemType extends Declaration {
  /** Unique among all rooms: `app/problem-types.ts` checks it. */
  code: string
}

export type Defined<Types extends Record<string, Declaration>> = {
  [Code in keyof Types & string]: Types[Code] & { code: Code }
}

/** The problems of a room, by code. */
export const defineProblems = <const Types extends Record<string, Declaration>>(types: Types) =>
  // Guarantee of the cast: every entry gets its own key as `code`.
  Object.fromEntries(
    Object.entries(types).map(([code, declared]) => [code, { code, ...declared }]),
  ) as Defined<Types>

/** The additional members of a problem. */
type MembersOf<Type extends ProblemType> = Type extends { members: infer Members extends TObject }
  ? Static<Members>
  : unknown

/** Where the error is: a JSON Pointer into the body (RFC 6901), or the name of a parameter or header. */
export type FieldError = { message: string } & (
  | { pointer: string }
  | { parameter: string }
  | { header: string }
)

/** The problem document of a type, as clients receive it (RFC 9457). */
export type ProblemOf<Type extends ProblemType> = Type extends ProblemType
  ? {
      type: `urn:matchday:problem:${Type['code']}`
      title: string
      status: Type['status']
      code: Type['code']
      detail: string
      requestId: string
      errors?: FieldError[]
    } & MembersOf<Type>
  : never

interface Explanation {
  /** For developers of clients. Contains no secret and no internal message. */
  detail?: string
  errors?: FieldError[]
  /** Seconds until a retry can succeed. */
  retryAfter?: number
  /** What clients read of the limit that refuses, as headers. */
  limits?: Record<string, string>
  /** For a unit of work that needs data of another system: reads the data, before the unit of work runs again. */
  prepare?: (() => Promise<unknown>) | undefined
  /** Logged with the request id. Not part of the response. */
  security?: SecurityEventMembers & { event: SecurityEvent }
}

export class DomainError<Type extends ProblemType = ProblemType> extends Error {
  readonly type: Type
  readonly explanation: Explanation
  readonly members: MembersOf<Type> | undefined

  constructor(
    type: Type,
    ...[extra]: unknown extends MembersOf<Type>
      ? [extra?: Explanation]
      : [extra: Explanation & MembersOf<Type>]
  ) {
    super(type.code)
    this.name = 'DomainError'
    this.type = type
    // Guarantee of the casts: the parameter has the members of an explanation and those of the type.
    const { detail, errors, retryAfter, limits, prepare, security, ...members } = (extra ??
      {}) as Explanation & Record<string, unknown>
    this.explanation = { detail, errors, retryAfter, limits, prepare, security }
    this.members = members as MembersOf<Type>
  }

  get code(): Type['code'] {
    return this.type.code
  }
}
