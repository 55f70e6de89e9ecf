/** The problems of the document: a schema for each code, and the responses that carry them. Guarantee of the casts: the parts of a document of OpenAPI. */
import type { ProblemType } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { isObject, type Json } from './json-schema.ts'
import { header } from './responses.ts'

/**
 * Problems of paths and methods that no operation has. No operation declares them, but the enum for shared error handlers
 * has them.
 */
const OUTSIDE_OPERATIONS: ProblemType[] = [transportProblems.not_found, transportProblems.method_not_allowed]

/** Components: `ProblemCode`, and a schema for each code that operations use, with the members of that code. */
export function problemSchemas(used: ProblemType[]): Json {
  return {
    ProblemCode: {
      type: 'string',
      description: 'Every code that this API responds with. More can be added: keep a default branch.',
      enum: [...new Set([...OUTSIDE_OPERATIONS, ...used].map(({ code }) => code))],
    },
    ...Object.fromEntries(used.map(problem => [schemaName(problem), problemSchema(problem)])),
  }
}

function problemSchema({ code, description, members }: ProblemType): Json {
  return {
    type: 'object',
    description,
    allOf: [{ $ref: '#/components/schemas/Problem' }],
    required: ['code', ...(members?.required ?? [])],
    properties: {
      code: { type: 'string', const: code, description: `\`${code}\`.` },
      ...members?.properties,
    },
  }
}

/** One response for each status, with its codes. Headers that come with a status are listed with it. */
export function describeProblems(problems: ProblemType[]): Json {
  const byStatus = Map.groupBy(
    new Map(problems.map(problem => [problem.code, problem])).values(),
    ({ status }) => status,
  )
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map(({ code, description }) => `\`${code}\`: ${description}`).join('\n\n'),
        headers: { 'X-Request-Id': header('RequestId'), ...headersOf(status, group) },
        content: {
          'application/problem+json': {
            schema: unionOf(group),
            examples: Object.fromEntries(
              group.map(problem => [problem.code, { summary: problem.title, value: exampleOf(problem) }]),
            ),
          },
        },
      },
    ]),
  )
}

/** Only `describeProblems` writes responses of this media type, with an example for each code. */
export function codesOfResponse(response: unknown): string[] {
  const { content } = response as { content?: Json }
  const problem = content?.['application/problem+json']
  return isObject(problem) ? Object.keys(problem.examples as Json) : []
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
const schemaName = ({ code }: ProblemType) => `${pascal(code)}Problem`
const referenceTo = (problem: ProblemType) => `#/components/schemas/${schemaName(problem)}`

/** Generators turn the discriminator into a union that narrows by `code`. */
function unionOf(problems: ProblemType[]): Json {
  const [first, ...more] = problems
  if (first !== undefined && more.length === 0) return { $ref: referenceTo(first) }
  return {
    type: 'object',
    oneOf: problems.map(problem => ({ $ref: referenceTo(problem) })),
    discriminator: {
      propertyName: 'code',
      mapping: Object.fromEntries(problems.map(problem => [problem.code, referenceTo(problem)])),
    },
  }
}

function headersOf(status: number, problems: ProblemType[]): Json {
  const has = (wanted: string) => problems.some(({ code }) => code === wanted)
  if (status === 401 || has('insufficient_scope')) return { 'WWW-Authenticate': header('WWWAuthenticate') }
  if (status === 503 || status === 429 || has('idempotency_in_progress'))
    return { 'Retry-After': header('RetryAfter') }
  return {}
}

const exampleOf = ({ code, status, title, example }: ProblemType): Json => ({
  type: `urn:matchday:problem:${code}`,
  title,
  status,
  code,
  detail: `${title}.`,
  requestId: '01981e2c-7c1f-7000-8000-000000000000',
  ...example,
})

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
      items: { $ref: '#/components/schemas/FieldError' },
    },
  },
}

export const FieldError = {
  type: 'object',
  description: 'An error in the request, with its place: a pointer, a parameter or a header.',
  required: ['message'],
  properties: {
    pointer: { type: 'string', description: 'RFC 6901, into the body.' },
    parameter: { type: 'string', description: 'Name of a query parameter.' },
    header: { type: 'string', description: 'Name of a header.' },
    message: { type: 'string', description: 'What was expected there.' },
  },
}
