/** Validation errors as field errors: the place and the expected value, never the value that was sent. */

import type { ValidationError } from 'elysia'
import { explainFault, MAX_ERRORS, shorten } from '../../../core/faults.ts'
import { placed } from '../../../core/formats.ts'
import { DomainError, type FieldError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'

/** Errors that were found before the schemas are applied, by request. */
const noted = new WeakMap<Request, FieldError[]>()

/** Notes errors of a request, so that it is refused once, with these and with those of its schemas. */
export function noteErrors(request: Request, errors: FieldError[]): void {
  if (errors.length > 0) noted.set(request, [...(noted.get(request) ?? []), ...errors].slice(0, MAX_ERRORS))
}

/** For requests that satisfy their schemas. @throws DomainError `validation_failed` if errors were noted */
export function refuseNoted({ request }: { request: Request }): void {
  if (noted.has(request)) throw invalidRequest(request, [])
}

/** `validation_failed` with the noted errors of the request and those of its schema. */
export const violation = (request: Request, error: ValidationError) =>
  invalidRequest(request, fieldErrors(error))

function invalidRequest(request: Request, errors: FieldError[]) {
  const byPlace = new Map<string, FieldError>()
  for (const error of [...(noted.get(request) ?? []), ...errors]) {
    // The first error of a field is the most specific; the others follow from it.
    const { message: _, ...place } = error
    const key = JSON.stringify(place)
    if (!byPlace.has(key)) byPlace.set(key, error)
  }
  return new DomainError(transportProblems.validation_failed, {
    errors: [...byPlace.values()].slice(0, MAX_ERRORS),
  })
}

function fieldErrors(error: ValidationError): FieldError[] {
  const inUrl = error.type === 'query' || error.type === 'params'
  const faults = error.all.filter(fault => 'type' in fault && 'schema' in fault)
  return faults
    .flatMap(fault => [...placed(fault)])
    .map(fault => {
      const pointer = shorten(fault.path)
      const message = explainFault(fault)
      if (!inUrl) return { pointer, message }
      // The name of a parameter is its pointer without the escapes of RFC 6901.
      return { parameter: pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~'), message }
    })
}
