/** The success responses of an operation, for the OpenAPI document. */
import type { TSchema } from '../../core/typebox.ts'

export const UNCHANGED = 'The response that you have is current.'
const STATUS_DESCRIPTIONS: Record<string, string> = { 201: 'Created', 204: 'Done', 503: 'Not now' }

interface Qualities {
  /** Supports conditional requests with an ETag. */
  conditional: boolean
  /** Has texts of the catalogue. */
  localized: boolean
  /** Can be the stored response of an `Idempotency-Key`. */
  replayed: boolean
}

export function describeResponses(
  responses: Record<number, TSchema>,
  examples: Record<number, unknown>,
  { conditional, localized, replayed }: Qualities,
) {
  const headers = {
    'X-Request-Id': header('RequestId'),
    ...(conditional ? { ETag: header('ETag'), 'Cache-Control': header('CacheControl') } : {}),
    ...(localized ? { 'Content-Language': header('ContentLanguage') } : {}),
    ...(replayed ? { 'Idempotent-Replayed': header('IdempotentReplayed') } : {}),
  }
  const unchanged = conditional ? { 304: { description: UNCHANGED, headers } } : {}
  const described = Object.fromEntries(
    Object.entries(responses).map(([status, { alsoAs, ...schema }]) => [
      status,
      {
        description: STATUS_DESCRIPTIONS[status] ?? 'OK',
        headers,
        ...(schema.type === 'void' || schema.type === 'undefined'
          ? {}
          : {
              content: {
                [schema.contentMediaType ?? 'application/json']: {
                  schema,
                  ...(Number(status) in examples ? { example: examples[Number(status)] } : {}),
                },
                // A page for readers, if `Accept` prefers it.
                ...(alsoAs === undefined
                  ? {}
                  : { [alsoAs]: { schema: { type: 'string', format: 'binary' } } }),
              },
            }),
      },
    ]),
  )
  return { ...described, ...unchanged }
}

export const header = (name: string) => ({ $ref: `#/components/headers/${name}` })
