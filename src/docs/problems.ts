/** The problems of the document: a schema for each code, and the responses that carry them. */
import { problemTypes } from '../core/problem-types.ts'
import type { ProblemCode } from '../core/problems.ts'
import { isObject, type Json } from './json-schema.ts'
import { header } from './responses.ts'

/** Of paths and methods that no operation has: in the response of none, and in the enum for shared error handlers. */
const OUTSIDE_OPERATIONS: ProblemCode[] = ['not_found', 'method_not_allowed']

/** Components: `ProblemCode`, and a schema for each code, which carries the members of that code. */
export function problemSchemas(used: Iterable<ProblemCode>): Json {
  const codes = new Set(used)
  const every = codes.union(new Set(OUTSIDE_OPERATIONS))
  const inOrder = (Object.keys(problemTypes) as ProblemCode[]).filter(code => every.has(code))
  return {
    ProblemCode: {
      type: 'string',
      description: 'Every code that this API responds with. More can be added: keep a default branch.',
      enum: inOrder,
    },
    ...Object.fromEntries([...codes].map(code => [schemaName(code), problemSchema(code)])),
  }
}

function problemSchema(code: ProblemCode): Json {
  const entry = problemTypes[code]
  const members = 'members' in entry ? entry.members : { properties: {}, required: [] }
  return {
    type: 'object',
    description: entry.description,
    allOf: [{ $ref: '#/components/schemas/Problem' }],
    required: ['code', ...(members.required ?? [])],
    properties: {
      code: { type: 'string', const: code, description: `\`${code}\`.` },
      ...members.properties,
    },
  }
}

/** One response for each status, with its codes. Headers that come with a status are listed with it. */
export function describeProblems(codes: ProblemCode[]): Json {
  const byStatus = Map.groupBy(new Set(codes), code => problemTypes[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map(code => `\`${code}\`: ${problemTypes[code].description}`).join('\n\n'),
        headers: { 'X-Request-Id': header('RequestId'), ...headersOf(status, group) },
        content: {
          'application/problem+json': {
            schema: unionOf(group),
            examples: Object.fromEntries(
              group.map(code => [code, { summary: problemTypes[code].title, value: exampleOf(code) }]),
            ),
          },
        },
      },
    ]),
  )
}

/** The codes that the problem responses of these paths carry. */
export const codesOf = (paths: Json): Set<ProblemCode> =>
  new Set(
    Object.values(paths).flatMap(item =>
      Object.values(item as Json).flatMap(operation =>
        Object.values((operation as { responses: Json }).responses).flatMap(codesOfResponse),
      ),
    ),
  )

/** Guarantee of the cast: only `describeProblems` writes responses of this media type, with an example for each code. */
export function codesOfResponse(response: unknown): ProblemCode[] {
  const { content } = response as { content?: Json }
  const problem = content?.['application/problem+json']
  return isObject(problem) ? (Object.keys(problem.examples as Json) as ProblemCode[]) : []
}

/** `BadRequest` for `['bad_request']`; what a component with these codes is called. */
export const nameOfCodes = (codes: string[]): string =>
  SHORT_NAMES[codes.join()] ?? codes.map(pascal).join('Or')

/** For names that would list four codes and more. */
const SHORT_NAMES: Record<string, string> = {
  'identity_provider_unavailable,database_busy,database_unavailable': 'ReadUnavailable',
  'identity_provider_unavailable,overloaded,database_busy,database_unavailable': 'WriteUnavailable',
  'identity_provider_unavailable,payment_gateway_unavailable,overloaded,database_busy,database_unavailable':
    'PaymentUnavailable',
}

const pascal = (code: string) => code.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())
const schemaName = (code: ProblemCode) => `${pascal(code)}Problem`
const referenceTo = (code: ProblemCode) => `#/components/schemas/${schemaName(code)}`

/** Generators turn the discriminator into a union that narrows by `code`. */
function unionOf(codes: ProblemCode[]): Json {
  const [first, ...more] = codes
  if (first !== undefined && more.length === 0) return { $ref: referenceTo(first) }
  return {
    type: 'object',
    oneOf: codes.map(code => ({ $ref: referenceTo(code) })),
    discriminator: {
      propertyName: 'code',
      mapping: Object.fromEntries(codes.map(code => [code, referenceTo(code)])),
    },
  }
}

function headersOf(status: number, codes: ProblemCode[]): Json {
  if (status === 401 || codes.includes('insufficient_scope'))
    return { 'WWW-Authenticate': header('WWWAuthenticate') }
  if (status === 503 || status === 429 || codes.includes('idempotency_in_progress'))
    return { 'Retry-After': header('RetryAfter') }
  return {}
}

/** Members of a code in its example. */
const EXAMPLE_MEMBERS: Partial<Record<ProblemCode, Json>> = {
  already_used: { usedAt: '2026-08-22T14:10:00.000Z', usedBy: 'north-desk' },
  insufficient_scope: { scope: 'events:write' },
  stale_revision: { revision: 4 },
  insufficient_points: { pointsRequired: 500, points: 100, missingPoints: 400 },
  validation_failed: {
    errors: [
      { pointer: '/surname', message: 'is not a member of this request' },
      { parameter: 'limit', message: 'must be a whole number of 1 to 100' },
    ],
  },
}

function exampleOf(code: ProblemCode): Json {
  const { status, title } = problemTypes[code]
  return {
    type: `urn:matchday:problem:${code}`,
    title,
    status,
    code,
    detail: `${title}.`,
    requestId: '01981e2c-7c1f-7000-8000-000000000000',
    ...EXAMPLE_MEMBERS[code],
  }
}

export const Problem = {
  type: 'object',
  description: 'RFC 9457. Further members depend on `code`: see the schema of each code.',
  required: ['type', 'title', 'status', 'code', 'detail', 'requestId'],
  properties: {
    type: { type: 'string', description: '`urn:matchday:problem:` and the code.' },
    title: { type: 'string', description: 'The code in words.' },
    status: { type: 'integer', description: 'The HTTP status again.' },
    code: { $ref: '#/components/schemas/ProblemCode' },
    detail: { type: 'string', description: 'What went wrong this time, for a developer to read.' },
    requestId: { type: 'string', description: 'The `X-Request-Id` of the response.' },
    errors: {
      type: 'array',
      description: 'Where in the request the errors are.',
      items: {
        type: 'object',
        required: ['message'],
        properties: {
          pointer: { type: 'string', description: 'RFC 6901, into the body.' },
          parameter: { type: 'string', description: 'Name of a query parameter.' },
          header: { type: 'string', description: 'Name of a header.' },
          message: { type: 'string', description: 'What was expected there.' },
        },
      },
    },
  },
}
