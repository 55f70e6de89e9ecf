/** Problems of HTTP, authentication, limits and the database, which any operation can respond with. */

import { DomainError, defineProblems, type FieldError } from './problems.ts'
import { Type } from './typebox.ts'

export const transportProblems = defineProblems({
  suspended: {
    status: 403,
    title: 'You are suspended',
    description:
      'A moderator has suspended the fan until `until`, for `reason`. Until then, the fan can only read, and protect or delete their account. Show `until` and `reason` to the user.',
    members: Type.Object({
      until: Type.String({ format: 'date-time', description: 'When the suspension ends.' }),
      reason: Type.String({ description: 'The reason, as in `GET /api/user/sanctions`.' }),
      appealable: Type.Boolean({
        description: 'Whether the fan can appeal, with `POST /api/user/appeals`: once.',
      }),
    }),
    example: { until: '2026-08-22T18:30:00.000Z', reason: 'harassment', appealable: true },
  },
  guardian_consent_required: {
    status: 403,
    title: 'A guardian has to agree first',
    description:
      'The fan is not an adult, and a guardian has not agreed or has withdrawn the consent. Until one agrees, the fan can only read, and do what ends or hides something.',
  },
  malformed_request: {
    status: 400,
    title: 'The request cannot be read',
    description:
      'The body is not valid JSON, or the URL or a header is not well formed. Correct the request: repeating it unchanged fails again.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not valid',
    description:
      'The cursor was changed, or it belongs to another list. Pass the `nextCursor` of the previous page unchanged, or start again without a cursor.',
  },
  unauthenticated: {
    status: 401,
    title: 'Sign in first',
    description:
      'The request has no bearer token, and the operation requires one. Sign the user in, or use a server key where the operation requires one, and send `Authorization: Bearer`.',
  },
  invalid_token: {
    status: 401,
    title: 'The token is not valid',
    description:
      'The token is malformed, expired or revoked, or was issued for another API. Get a new token, or sign the user in again.',
  },
  invalid_server_key: {
    status: 401,
    title: 'The server key is not valid',
    description:
      'The token is not a server key, or the key is misspelt, unknown, expired or revoked. Configure the current key of your system; the operator can issue another one.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The server key lacks a scope',
    description:
      'The operation requires the scope in `scope`, which the server key does not have. The operator can issue a key with this scope.',
    members: Type.Object({ scope: Type.String({ description: 'The scope that the operation requires.' }) }),
    example: { scope: 'events:write' },
  },
  not_found: {
    status: 404,
    title: 'This path does not exist',
    description: 'The API has no operation at this path. Check the path against the documentation.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This path does not support this method',
    description: 'The path exists, but not with this method. Use one of the methods in the `Allow` header.',
  },
  request_timeout: {
    status: 408,
    title: 'The body took too long to arrive',
    description: 'The request body did not arrive within the time limit. Send the request again.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    description: 'The request body exceeds the size limit that `detail` states. Send a smaller body.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body must be JSON',
    description:
      'The body is not plain JSON in UTF-8. Send `Content-Type: application/json` and no `Content-Encoding`.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request with this key is still running',
    description:
      'Another request with the same `Idempotency-Key` has not finished. Wait for `Retry-After`, then send the same request again to get its response.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'This key was used for another request',
    description:
      'The `Idempotency-Key` was already used with a different request. Use a new key for each new operation.',
  },
  idempotency_response_lost: {
    status: 409,
    title: 'The first response can no longer be read',
    description:
      'The first request with this `Idempotency-Key` has succeeded and is not repeated, but its response was encrypted with a key that the operator has removed. Read the result of the first request, and use a new key for the next operation.',
  },
  validation_failed: {
    status: 422,
    title: 'The request does not match its schema',
    description:
      'A member, parameter or header is missing, unknown or not valid; `errors` lists each of them. Correct these and send the request again.',
    members: Type.Object({
      errors: Type.Array(Type.Unsafe<FieldError>({ $ref: '#/components/schemas/FieldError' }), {
        minItems: 1,
        description: 'Where in the request the errors are.',
      }),
    }),
    example: {
      errors: [
        { pointer: '/surname', message: 'is not a member of this request' },
        { parameter: 'limit', message: 'must be a whole number of 1 to 100' },
      ],
    },
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    description:
      'The caller or its network address has exceeded a rate limit. Wait for the number of seconds in `Retry-After`, then send the request again.',
  },
  internal_error: {
    status: 500,
    title: 'The server failed unexpectedly',
    description:
      'An unexpected error occurred on the server. Send the request again later; if the error persists, report the `requestId`.',
  },
  overloaded: {
    status: 503,
    title: 'The server is overloaded; try again shortly',
    description:
      'Too many writes are waiting, and this one was refused before it started. Send it again after `Retry-After`.',
  },
  database_busy: {
    status: 503,
    title: 'The database is busy; try again shortly',
    description:
      'The database could not process the request in time, and nothing was written. Send the request again after `Retry-After`.',
  },
  database_unavailable: {
    status: 503,
    title: 'The database is not available; try again shortly',
    description:
      'The database cannot be reached or cannot be used. Send the request again after `Retry-After`, with the same `Idempotency-Key` if it writes.',
  },
  storage_full: {
    status: 507,
    title: 'The storage is full',
    description:
      'The database has no space left, and nothing was written. The operator must free space; reads still work.',
  },
  invalid_signature: {
    status: 401,
    title: 'The signature of the delivery is not valid',
    description:
      'The webhook delivery is unsigned, too old, or signed with another secret. Check the webhook secret and the clock of the sender.',
  },
})

/** @throws DomainError `validation_failed` for one field of the request */
export function refuseField(error: FieldError): never {
  throw new DomainError(transportProblems.validation_failed, { errors: [error] })
}
