/** Every error as a response: RFC 9457 `application/problem+json`. The only place that maps errors to HTTP. */

import { NotFoundError, ParseError, ValidationError } from 'elysia'
import { DatabaseError, type DatabaseFault, translateDatabaseError } from '../../../../db/index.ts'
import { DomainError, type FieldError, type ProblemType } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import { violation } from '../contract/validation.ts'

const DATABASE_PROBLEMS: Record<DatabaseFault, ProblemType> = {
  busy: transportProblems.database_busy,
  full: transportProblems.storage_full,
  unreachable: transportProblems.database_unavailable,
  untrusted: transportProblems.database_unavailable,
  read_only: transportProblems.database_unavailable,
  corrupt: transportProblems.database_unavailable,
  outdated: transportProblems.database_unavailable,
}

/** Seconds. For 429 and 503 without a `retryAfter`. */
const RETRY_AFTER = 1

/**
 * Maps any thrown value to a problem. An unknown error becomes `internal_error`, and its message is not
 * disclosed. `instanceof` is tested before any `code`, because libraries set their own codes.
 */
export function toDomainError(error: unknown, request: Request): DomainError {
  if (error instanceof DomainError) return error
  if (error instanceof ValidationError) {
    // A response that violates its schema is a server error, not the caller's.
    if (error.type === 'response') return new DomainError(transportProblems.internal_error)
    return violation(request, error)
  }
  // Elysia wraps what a parser throws.
  if (error instanceof ParseError) {
    return error.cause instanceof DomainError
      ? error.cause
      : new DomainError(transportProblems.malformed_request)
  }
  if (error instanceof NotFoundError) return new DomainError(transportProblems.not_found)
  // A read outside of a unit of work throws the error of its driver.
  const known = translateDatabaseError(error)
  if (known instanceof DatabaseError) return new DomainError(DATABASE_PROBLEMS[known.fault])
  return new DomainError(transportProblems.internal_error)
}

const describeField = (error: FieldError) => {
  const place = 'pointer' in error ? error.pointer : 'parameter' in error ? error.parameter : error.header
  return `${place || 'The body'} ${error.message}.`
}

/** The problem document of an error, with the additional members of its code. */
function describeProblem(error: DomainError, requestId: string) {
  const { status, title } = error.type
  const { detail, errors } = error.explanation
  return {
    type: `urn:matchday:problem:${error.code}`,
    title,
    status,
    code: error.code,
    detail: detail ?? (errors?.[0] ? describeField(errors[0]) : `${title}.`),
    requestId,
    ...(errors ? { errors } : {}),
    // Guarantee of the cast: members are an object.
    ...(error.members as object | undefined),
  }
}

/** The response of a problem, with the headers that HTTP requires: `WWW-Authenticate` (RFC 6750 §3), `Retry-After`. */
export function problemResponse(
  error: DomainError,
  requestId: string,
  headers: Record<string, string> = {},
): Response {
  const problem = describeProblem(error, requestId)
  const response = new Response(JSON.stringify(problem), { status: problem.status, headers })
  response.headers.set('Content-Type', 'application/problem+json')
  response.headers.set('Cache-Control', 'no-store')
  if (problem.status === 401 || error.code === 'insufficient_scope')
    response.headers.set('WWW-Authenticate', challenge(error))
  const retryAfter =
    error.explanation.retryAfter ??
    (problem.status === 503 || problem.status === 429 ? RETRY_AFTER : undefined)
  if (retryAfter !== undefined)
    response.headers.set('Retry-After', String(Math.max(1, Math.ceil(retryAfter))))
  return response
}

/** Value of `WWW-Authenticate`: has an `error` only if the request sent a token (RFC 6750 §3.1). */
function challenge(error: DomainError): string {
  if (error.code === 'insufficient_scope') {
    // Guarantee of the cast: the code of this line.
    const { scope } = (error as DomainError<typeof transportProblems.insufficient_scope>).members ?? {}
    return `Bearer error="insufficient_scope", scope="${scope}"`
  }
  if (error.code !== 'invalid_token' && error.code !== 'invalid_server_key') return 'Bearer'
  const detail = error.explanation.detail ?? error.type.title
  return `Bearer error="invalid_token", error_description="${detail.replace(/[^\x20-\x7e]|["\\]/g, '')}"`
}
