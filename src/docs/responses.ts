/** What an operation answers, for the OpenAPI document: its successes and its problems, by status. */
import type { TSchema } from '@sinclair/typebox'
import { type FieldError, type ProblemCode, problemTypes } from '../core/problems.ts'

const STATUS_DESCRIPTIONS: Record<string, string> = {
  201: 'Created',
  204: 'Done',
  503: 'Not now',
}

interface Qualities {
  /** Can be asked for again by its ETag. */
  conditional: boolean
  /** Can be the kept answer of an `Idempotency-Key`. */
  replayed: boolean
}

export function describeResponses(
  answers: Record<number, TSchema>,
  examples: Record<number, unknown>,
  { conditional, replayed }: Qualities,
) {
  const headers = {
    'X-Request-Id': header('RequestId'),
    ...(conditional ? { ETag: header('ETag'), 'Cache-Control': header('CacheControl') } : {}),
    ...(replayed ? { 'Idempotent-Replayed': header('IdempotentReplayed') } : {}),
  }
  const unchanged = conditional ? { 304: { description: 'What you have is still true.', headers } } : {}
  const described = Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => [
      status,
      {
        description: STATUS_DESCRIPTIONS[status] ?? 'OK',
        headers,
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
  return { ...described, ...unchanged }
}

/** One response a status, its codes side by side. Headers that come with a status are listed with it. */
export function describeProblems(codes: ProblemCode[], fault: FieldError) {
  const byStatus = Map.groupBy(new Set(codes), code => problemTypes[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map(code => `\`${code}\`: ${problemTypes[code].description}`).join('\n\n'),
        headers: { 'X-Request-Id': header('RequestId'), ...headersOf(status, group) },
        content: {
          'application/problem+json': {
            schema: problemSchema(group),
            examples: Object.fromEntries(
              group.map(code => [code, { summary: problemTypes[code].title, value: exampleOf(code, fault) }]),
            ),
          },
        },
      },
    ]),
  )
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

function headersOf(status: number, codes: ProblemCode[]) {
  if (status === 401) return { 'WWW-Authenticate': header('WWWAuthenticate') }
  if (status === 503 || status === 429 || codes.includes('idempotency_in_progress'))
    return { 'Retry-After': header('RetryAfter') }
  return {}
}

function problemSchema(codes: ProblemCode[]) {
  const members = codes.flatMap(code => {
    const entry = problemTypes[code]
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

function exampleOf(code: ProblemCode, fault: FieldError) {
  const { status, title } = problemTypes[code]
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
