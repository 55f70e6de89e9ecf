/**
 * The one way to declare an operation. It gives Elysia the schemas that it validates, and the OpenAPI document
 * everything that the operation can answer: each problem by its code, with its status and members.
 */
import type { TSchema } from '@sinclair/typebox'
import { catalogue, type FieldError, type ProblemCode } from '../problems.ts'
import { Closed } from './schemas.ts'

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
  /** What it does with the database, and so what can go wrong there. */
  data?: 'read' | 'write'
  body?: Body
  query?: Query
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
  const {
    id,
    summary,
    description,
    tag,
    caller,
    data,
    body,
    query,
    params,
    answers,
    problems = [],
    examples = {},
  } = declared
  const codes: ProblemCode[] = [
    ...(body ? BODY_PROBLEMS : []),
    ...CALLER_PROBLEMS[caller],
    ...problems,
    ...(data ? DATA_PROBLEMS[data] : []),
    // What a query string can be guilty of, wanted or not.
    'malformed_request',
    'validation_failed',
    'rate_limited',
    'internal_error',
  ]
  const detail = {
    operationId: id,
    summary,
    ...(description ? { description } : {}),
    tags: [tag],
    security: SECURITY[caller],
    responses: {
      ...describeProblems(codes, faultOf(body, query)),
      ...describeAnswers(answers, examples.answers ?? {}),
    },
    ...(examples.body ? { 'x-body-example': examples.body } : {}),
  }
  // Guarantee of the cast: `response` is absent at run time and read by the compiler only.
  return { body, query: query ?? Nothing, params, detail } as unknown as Operation<
    Body,
    Query,
    Params,
    Answers
  >
}

/** Swagger UI's two ways to authorize; see `docs/description.ts`. */
const SECURITY = {
  anyone: [],
  caller: [{ signIn: [] }, { bearer: [] }],
  optional: [{}, { signIn: [] }, { bearer: [] }],
}

const BODY_PROBLEMS: ProblemCode[] = ['payload_too_large', 'request_timeout', 'unsupported_media_type']
const TOKEN_PROBLEMS: ProblemCode[] = ['invalid_token', 'identity_provider_unavailable']
const CALLER_PROBLEMS: Record<'anyone' | 'caller' | 'optional', ProblemCode[]> = {
  anyone: [],
  caller: ['unauthenticated', ...TOKEN_PROBLEMS],
  optional: TOKEN_PROBLEMS,
}
const DATA_PROBLEMS: Record<'read' | 'write', ProblemCode[]> = {
  read: ['database_busy', 'database_unavailable'],
  write: ['overloaded', 'database_busy', 'database_unavailable', 'storage_full'],
}

const STATUS_DESCRIPTIONS: Record<string, string> = {
  201: 'Created',
  204: 'Done',
  503: 'Not now',
}

function describeAnswers(answers: Record<number, TSchema>, examples: Record<number, unknown>) {
  return Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => [
      status,
      {
        description: STATUS_DESCRIPTIONS[status] ?? 'OK',
        headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
        ...(schema.type === 'void' || schema.type === 'undefined'
          ? {}
          : {
              content: {
                'application/json': {
                  schema,
                  ...(Number(status) in examples ? { example: examples[Number(status)] } : {}),
                },
              },
            }),
      },
    ]),
  )
}

/** One response a status, its codes side by side. Headers that come with a status are listed with it. */
function describeProblems(codes: ProblemCode[], fault: FieldError) {
  const byStatus = Map.groupBy(new Set(codes), code => catalogue[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map(code => `\`${code}\`: ${catalogue[code].title}.`).join('\n\n'),
        headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' }, ...headersOf(status) },
        content: {
          'application/problem+json': {
            schema: problemSchema(group),
            examples: Object.fromEntries(
              group.map(code => [code, { summary: catalogue[code].title, value: exampleOf(code, fault) }]),
            ),
          },
        },
      },
    ]),
  )
}

function headersOf(status: number) {
  if (status === 401) return { 'WWW-Authenticate': { $ref: '#/components/headers/WWWAuthenticate' } }
  if (status === 503 || status === 429) return { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
  return {}
}

function problemSchema(codes: ProblemCode[]) {
  const members = codes.flatMap(code => {
    const entry = catalogue[code]
    return 'members' in entry ? [{ code, schema: entry.members }] : []
  })
  return {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      { type: 'object', properties: { code: { type: 'string', enum: codes } } },
      ...members.map(({ code, schema }) => ({
        if: { properties: { code: { const: code } } },
        // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword
        then: schema,
      })),
    ],
  }
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

function exampleOf(code: ProblemCode, fault: FieldError) {
  const { status, title } = catalogue[code]
  return {
    type: `urn:matchday:problem:${code}`,
    title,
    status,
    code,
    detail: `${title}.`,
    requestId: '01981e2c-7c1f-7000-8000-000000000000',
    ...(code === 'insufficient_points' ? { pointsRequired: 500, points: 100, missingPoints: 400 } : {}),
    ...(code === 'validation_failed' ? { errors: [fault] } : {}),
  }
}
