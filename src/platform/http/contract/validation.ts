/** Validation errors as field errors: the place and the expected value, never the value that was sent. */

import type { ValidationError } from 'elysia'
import { DomainError, type FieldError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import { type TSchema, type ValueError, ValueErrorType } from '../../../core/typebox.ts'

/** More errors do not help to correct a request. */
export const MAX_ERRORS = 20
/** Characters of a place in a request. Names come from the request, and may be as long as it. */
export const MAX_PLACE = 256

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
  return faults.map(fault => {
    const pointer = shorten(fault.path)
    const message = explainFault(fault)
    if (!inUrl) return { pointer, message }
    // The name of a parameter is its pointer without the escapes of RFC 6901.
    return { parameter: pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~'), message }
  })
}

/** The start of a place, without what no response should contain. */
export function shorten(place: string): string {
  const start = place.length > MAX_PLACE ? `${place.slice(0, MAX_PLACE - 1)}…` : place
  return start.replaceAll('\0', '').toWellFormed()
}

/** The expected value, in words. */
export function explainFault(fault: ValueError): string {
  switch (fault.type) {
    case ValueErrorType.ObjectAdditionalProperties:
      return 'is not a member of this request'
    case ValueErrorType.ObjectRequiredProperty:
      return 'is required'
    case ValueErrorType.Union:
      return expectedOfUnion(fault.schema)
    default:
      return expected(fault.schema)
  }
}

/** A union of a type and null, as all nullable members are. */
function expectedOfUnion(schema: TSchema): string {
  const variants = (schema.anyOf as TSchema[] | undefined) ?? []
  return variants.length > 0 ? `must be ${variants.map(noun).join(' or ')}` : expected(schema)
}

const expected = (schema: TSchema) => `must be ${noun(schema)}`

/** A schema in words; `errorNoun` replaces them if the keywords do not suffice. */
function noun(schema: TSchema): string {
  if (typeof schema.errorNoun === 'string') return schema.errorNoun
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  switch (schema.type) {
    case 'null':
      return 'null'
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `a whole number${range(schema.minimum, schema.maximum)}`
    case 'object':
      return 'a JSON object'
    case 'array':
      return `an array${range(schema.minItems, schema.maxItems, ' items')}`
    case 'string':
      return `a string${range(schema.minLength, schema.maxLength, ' characters')}`
    default:
      return 'of another type'
  }
}

function range(min: unknown, max: unknown, unit = ''): string {
  if (min !== undefined && max !== undefined) return ` of ${min} to ${max}${unit}`
  if (min !== undefined) return ` of at least ${min}${unit}`
  if (max !== undefined) return ` of at most ${max}${unit}`
  return ''
}
