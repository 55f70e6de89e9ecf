/**
 * The one way to declare an operation. It gives Elysia the schemas that it validates, and the OpenAPI document
 * everything that the operation can answer: each problem by its code, with its status and members.
 */
import type { TSchema } from '@sinclair/typebox'
import type { FieldError, ProblemCode } from '../../core/problems.ts'
import { Closed } from '../../core/schemas.ts'
import { answerConditionally } from '../edge/conditional.ts'
import { readIdempotencyKey } from '../idempotency/idempotency.ts'
import { describeAnswers, describeProblems } from './responses.ts'
import { requireStrict } from './strictness.ts'

/** The body of an operation that takes none, and the query of one that takes none. */
export const Nothing = Closed({})
type Nothing = typeof Nothing

interface Declaration<Body, Query, Params, Answers> {
  /** `operationId` of the document: what generated clients call the function. */
  id: string
  summary: string
  description?: string
  tag: string
  /** Who may call it. `anyone` reads no token. */
  caller: 'anyone' | 'caller' | 'optional'
  /** Its answer may be kept and asked for again by its ETag: see `conditional.ts`. */
  conditional?: boolean
  /** What it does with the database, and so what can go wrong there. */
  data?: 'read' | 'write'
  body?: Body
  query?: Query
  /** It accepts any query string and reads none, for probes. See `PROBES` in `limits/policies.ts`. */
  anyQuery?: true
  /**
   * What a caller's operation with a body takes, unless its answers carry secrets, which are never kept. It then writes
   * through `mutate` alone.
   */
  idempotencyKey?: 'none'
  /** Of the path. */
  params?: Params
  /** Success answers by status; each schema is held to by tests, see `test/support/conformance.ts`. */
  answers: Answers
  /** What it can refuse beside what its caller, body and query imply. */
  problems?: ProblemCode[]
  /** Examples of a body and, by status, of an answer. */
  examples?: { body?: Record<string, unknown>; answers?: Partial<Record<keyof Answers, unknown>> }
}

/** What Elysia is given. `response` is there for the compiler alone: answers are checked in tests, not per request. */
export interface Operation<Body, Query, Params, Answers> {
  body: Body
  query: Query
  params: Params
  response: Answers
  detail: Record<string, unknown>
}

export function operation<
  const Answers extends Record<number, TSchema>,
  Body extends TSchema | undefined = undefined,
  Query extends TSchema = Nothing,
  Params extends TSchema | undefined = undefined,
>(declared: Declaration<Body, Query, Params, Answers>): Operation<Body, Query, Params, Answers> {
  const { id, summary, description, tag, caller, conditional = false, data } = declared
  const { body, query, params, answers, problems = [], examples = {} } = declared
  for (const input of [body, query, params]) {
    // What is open to anyone and written is a signed delivery of another system, whose documents are its own.
    if (input) requireStrict(input, { open: caller === 'anyone' && tag === 'Webhooks' })
  }
  const takesKey = caller === 'caller' && body !== undefined && declared.idempotencyKey !== 'none'
  const codes: ProblemCode[] = [
    ...(body ? BODY_PROBLEMS : []),
    ...CALLER_PROBLEMS[caller],
    ...problems,
    ...(takesKey ? KEY_PROBLEMS : []),
    ...(data ? DATA_PROBLEMS[data] : []),
    'malformed_request',
    // What a query string can be guilty of, wanted or not.
    ...(declared.anyQuery ? [] : (['validation_failed'] as const)),
    'rate_limited',
    'internal_error',
  ]
  const headers = [
    ...(takesKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(conditional ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ]
  const detail = {
    operationId: id,
    summary,
    ...(description ? { description } : {}),
    tags: [tag],
    security: SECURITY[caller],
    responses: {
      ...describeProblems(codes, faultOf(body, query)),
      ...describeAnswers(answers, examples.answers ?? {}, { conditional, replayed: takesKey }),
    },
    ...(headers.length > 0 ? { 'x-request-headers': headers } : {}),
    ...(examples.body ? { 'x-body-example': examples.body } : {}),
  }
  const hooks = {
    // A transform comes after the caller is known and before the schemas: 401, then 400, then 422.
    ...(takesKey ? { transform: refuseBadKey } : {}),
    ...(conditional ? { afterHandle: answerConditionally(caller) } : {}),
  }
  // Guarantee of the cast: `response` is absent at run time and read by the compiler only; `afterHandle` turns the very
  // object that the handler answered into bytes, which Elysia's types cannot say.
  const accepted = declared.anyQuery ? undefined : (query ?? Nothing)
  return { body, query: accepted, params, detail, ...hooks } as unknown as Operation<
    Body,
    Query,
    Params,
    Answers
  >
}

const refuseBadKey = ({ request }: { request: Request }) => void readIdempotencyKey(request.headers)

/** Swagger UI's two ways to authorize; see `docs/description.ts`. */
const SECURITY = {
  anyone: [],
  caller: [{ signIn: [] }, { bearer: [] }],
  optional: [{}, { signIn: [] }, { bearer: [] }],
}

const BODY_PROBLEMS: ProblemCode[] = ['payload_too_large', 'request_timeout', 'unsupported_media_type']
const KEY_PROBLEMS: ProblemCode[] = ['idempotency_in_progress', 'idempotency_key_reused']
const TOKEN_PROBLEMS: ProblemCode[] = ['unauthenticated', 'invalid_token', 'identity_provider_unavailable']
const CALLER_PROBLEMS: Record<'anyone' | 'caller' | 'optional', ProblemCode[]> = {
  anyone: [],
  caller: TOKEN_PROBLEMS,
  optional: TOKEN_PROBLEMS,
}
const DATA_PROBLEMS: Record<'read' | 'write', ProblemCode[]> = {
  read: ['database_busy', 'database_unavailable'],
  write: ['overloaded', 'database_busy', 'database_unavailable', 'storage_full'],
}

/** A fault that this very operation could find: in its body, its query, or in a parameter that it does not take. */
function faultOf(body: TSchema | undefined, query: TSchema | undefined): FieldError {
  const [required] = (body?.required as string[] | undefined) ?? []
  if (required !== undefined) return { pointer: `/${required}`, message: 'is required' }
  const [member] = Object.keys(body?.properties ?? {})
  if (member !== undefined) return { pointer: `/${member}s`, message: 'is not a member of this request' }
  const [parameter] = Object.keys(query?.properties ?? {})
  return { parameter: `${parameter ?? 'limit'}s`, message: 'is not a member of this request' }
}
