/**
 * Declares an operation: what Elysia validates, the OpenAPI document describes and generated clients see, and which limits
 * and caches apply.
 */

import type { Subject } from '../../../core/caller.ts'
import type { ClientProblem } from '../../../core/client-problems.ts'
import { registerFormats } from '../../../core/formats.ts'
import type { FieldError, ProblemOf, ProblemType } from '../../../core/problems.ts'
import { Closed, isBytes } from '../../../core/schemas.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { TObject, TSchema, TUnsafe } from '../../../core/typebox.ts'
import type { Bodies } from '../edge/body.ts'
import { respondConditionally } from '../edge/conditional.ts'
import { readIdempotencyKey } from '../idempotency/idempotency.ts'
import { addLimits, limitCaller, limitSource, type RateLimitHeaders } from '../rate-limits/policies.ts'
import type { Policy, RateLimiter } from '../rate-limits/rate-limiter.ts'
import { isLocalized, respondLocalized, respondLocalizedConditionally } from './language.ts'
import { requireStrict } from './strictness.ts'
import { noteErrors, refuseNoted } from './validation.ts'
import { noteAllowed } from './when-suspended.ts'

/** The schema of a body or query without members. */
export const Nothing = Closed({})
export type Nothing = typeof Nothing

/** Examples of a body and, by status, of a response. */
type Examples<Status extends PropertyKey> = { body?: Record<string, unknown> } & Partial<
  Record<Status, unknown>
>

type DataAccess = 'none' | 'read' | 'write'

export interface Declaration<Body, Query, Params, Responses, Problem> {
  /** `operationId` in the document: the function name in generated clients. */
  id: string
  summary: string
  description?: string
  body?: Body
  /** With `LanguageQuery`, responses have a language. */
  query?: Query
  /** Path parameters. */
  params?: Params
  /** Rules between members, which schemas cannot express. They also get input that breaks its schema. */
  findErrors?: (input: UncheckedInput) => FieldError[]
  /** Success responses by status; the tests validate each response (`test/support/conformance.ts`). */
  responses: Responses
  /** Problems specific to the operation. Those of its caller, body, query and database access are added. */
  problems?: readonly Problem[]
  /** Database access, which determines the problems of the database. By default `write` with a body, otherwise `read`. */
  data?: DataAccess
  /**
   * A tighter limit for each caller or source, in addition to that of all requests. `tokens` of an operation without a caller: 401
   * counts as a failure of the address.
   */
  limit?: Policy
  /** Responses have an ETag and answer conditional requests: see `conditional.ts`. */
  conditional?: boolean
  /** Accepts any query string and no limit, for load balancers' probes. */
  probe?: true
  /** Accepts larger bodies than the 64 KiB of other operations. Bytes. */
  maxBodyBytes?: number
  /** The body comes from another system: only the members that are read are declared. */
  open?: true
  /** `none` where responses carry secrets, which are never stored for a repeat, and for DELETE, which repeats safely. */
  idempotencyKey?: 'none'
  /**
   * For operations that a suspended fan may still use: protecting themselves from others, and deciding about
   * their data and sessions. `partly`: the verb refuses the rest.
   */
  whenSuspended?: 'allowed' | 'partly'
  /**
   * Of these, what a fan may not use who lacks the consent of a guardian, since it shows more of them to others, or turns something
   * on. `partly`: the verb refuses that part. They may use the rest, which only protects them, or ends something.
   */
  guardianConsent?: 'required' | 'partly'
  examples?: Examples<keyof Responses>
}

interface UncheckedInput {
  body: unknown
  query: Partial<Record<string, string>>
}

/** The declaration as `docs/` and the composition read it, in the `detail` of its route. */
export interface Declared {
  id: string
  responses: Record<number, TSchema>
  examples: Examples<number>
  problems: readonly ProblemType[]
  data: DataAccess
  conditional: boolean
  /** Responses have a language: see `language.ts`. */
  localized: boolean
  takesBody: boolean
  /** Accepts an `Idempotency-Key` if its group is of fans. */
  mayTakeKey: boolean
  probe: boolean
  limit?: Policy
  maxBodyBytes?: number
  whenSuspended?: 'allowed' | 'partly'
  guardianConsent?: 'required' | 'partly'
}

/** Key in a route's `detail` for its `Declared`; the document omits it. */
export const DECLARED = 'x-declared'

/** Problems of operations by what they take and use. Operations have them in addition to their own. */
export const COMMON_PROBLEMS = {
  every: [
    transportProblems.malformed_request,
    transportProblems.validation_failed,
    transportProblems.rate_limited,
    transportProblems.internal_error,
  ],
  body: [
    transportProblems.payload_too_large,
    transportProblems.request_timeout,
    transportProblems.unsupported_media_type,
  ],
  key: [transportProblems.idempotency_in_progress, transportProblems.idempotency_key_reused],
  none: [],
  read: [transportProblems.database_busy, transportProblems.database_unavailable],
  write: [
    transportProblems.overloaded,
    transportProblems.database_busy,
    transportProblems.database_unavailable,
    transportProblems.storage_full,
  ],
} as const satisfies Record<string, ProblemType[]>
type CommonProblem<Kind extends keyof typeof COMMON_PROBLEMS> = (typeof COMMON_PROBLEMS)[Kind][number]

/** Problem responses by status: a union of their codes, so that Eden's clients narrow `error` by status and code. */
type Problems<Problem extends ProblemType> = {
  [Status in Problem['status']]: TUnsafe<ProblemOf<Extract<Problem, { status: Status }>>>
}

/** Options of an Elysia route. `response` exists only for the compiler; only tests validate responses. */
export interface Operation<Body, Query, Params, Responses, Problem extends ProblemType> {
  body: Body
  query: Query
  params: Params
  response: Responses &
    Problems<
      | Problem
      | CommonProblem<'every' | 'write'>
      | ClientProblem
      | (Body extends TSchema ? CommonProblem<'body' | 'key'> : never)
    >
  detail: Record<string, unknown>
}

export function operation<
  const Responses extends Record<number, TSchema>,
  Body extends TSchema | undefined = undefined,
  Query extends TSchema = Nothing,
  Params extends TSchema | undefined = undefined,
  const Problem extends ProblemType = never,
>(
  declaration: Declaration<Body, Query, Params, Responses, Problem>,
): Operation<Body, Query, Params, Responses, Problem> {
  const { summary, description, body, query, params, findErrors, open, idempotencyKey, ...rest } = declaration
  for (const input of [body, query, params]) {
    if (!input) continue
    requireStrict(input, { open })
    registerFormats(input)
  }
  const takesBody = body !== undefined
  const mayTakeKey = takesBody && idempotencyKey !== 'none'
  const declared: Declared = {
    problems: [],
    examples: {},
    data: takesBody ? 'write' : 'read',
    conditional: false,
    probe: false,
    ...rest,
    mayTakeKey,
    takesBody,
    // Guarantee of the cast: every query is an object.
    localized: isLocalized(query as TObject | undefined),
  }
  const { conditional, limit, localized, probe } = declared
  const respond = conditional
    ? localized
      ? respondLocalizedConditionally
      : respondConditionally
    : localized && respondLocalized
  const hooks = {
    // Transforms run after the caller is known and before the schemas: 401 and 429, then 400, then 422.
    transform: [
      ...(limit ? [countCaller(limit)] : []),
      ...(declared.whenSuspended ? [noteAllowed(declared)] : []),
      ...(mayTakeKey ? [refuseBadKey] : []),
      ...(takesBody ? [isBytes(body) ? readBytes : bodyReader(body)] : []),
      ...(findErrors ? [noteFound(findErrors)] : []),
    ],
    // Other operations take no parameters: their schemas refuse every query.
    ...(body || query ? { beforeHandle: refuseNoted } : {}),
    ...(respond ? { afterHandle: respond } : {}),
  }
  const detail = {
    operationId: declaration.id,
    summary,
    ...(description ? { description } : {}),
    [DECLARED]: declared,
  }
  // Guarantee of the cast: `response` is absent at run time and used by the compiler only; `afterHandle` renders the
  // object that the handler returned, which Elysia's types cannot express.
  const accepted = probe ? undefined : (query ?? Nothing)
  const options: unknown = { body, query: accepted, params, detail, ...hooks }
  return options as Operation<Body, Query, Params, Responses, Problem>
}

interface Counted {
  /** Undefined in groups that read no token of a fan. */
  caller?: Subject | null
  /** Undefined in groups that require no server key. */
  source?: string
  rateLimiter?: RateLimiter
  set: { headers: Record<string, string | number | undefined> }
}

/** @throws DomainError `rate_limited` */
const countCaller =
  (policy: Policy) =>
  ({ caller, source, rateLimiter, set }: Counted): void => {
    if (!rateLimiter) return
    const report = (limits: RateLimitHeaders) => addLimits(set.headers, limits)
    if (caller) limitCaller(rateLimiter, policy, caller, report)
    else if (source !== undefined) limitSource(rateLimiter, policy, source, report)
  }

/** Elysia merges the result into the context. Guarantee: `server-hooks.ts` decorates every route of the application. */
const readBody = async ({ bodies, request }: { bodies: Bodies; request: Request }) => ({
  body: await bodies.read(request),
})

/** Reads only the members that the schema names from bodies of other systems. */
const bodyReader = (schema: TSchema) =>
  schema.additionalProperties === true
    ? async ({ bodies, request }: { bodies: Bodies; request: Request }) => ({
        body: await bodies.read(request, schema),
      })
    : readBody

const readBytes = async ({ bodies, request }: { bodies: Bodies; request: Request }) => ({
  body: await bodies.readBytes(request),
})

const noteFound =
  (findErrors: (input: UncheckedInput) => FieldError[]) =>
  ({ body, query, request }: UncheckedInput & { request: Request }): void =>
    noteErrors(request, findErrors({ body, query }))

/** Operations without authentication ignore the header. */
const refuseBadKey = ({ caller, request }: { caller?: Subject | null; request: Request }) => {
  if (caller) readIdempotencyKey(request.headers)
}

/** The declaration of a route; undefined for a route that is not part of the API. */
/** Key in a route's `detail` for a page, which the document leaves out. */
const PAGE = 'x-page'

interface PageFacts {
  /** As the id of an operation, in metrics and traces. */
  id: string
  /** A form is sent to it. */
  takesBody?: true
}

/** The `detail` of a page that is more than a file. */
export const pageDetail = (facts: PageFacts) => ({ hide: true, [PAGE]: facts })

export const pageFactsOf = (route: { hooks: { detail?: Record<string, unknown> } }): PageFacts | undefined =>
  // Guarantee of the cast: only `pageDetail` writes this key.
  route.hooks.detail?.[PAGE] as PageFacts | undefined

export const declaredOf = (route: { hooks: { detail?: Record<string, unknown> } }): Declared | undefined =>
  // Guarantee of the cast: only `operation` writes this key.
  route.hooks.detail?.[DECLARED] as Declared | undefined
