/** Errors of values against their schemas, in words: the place and the expected value, never the value that was given. */
import { type TSchema, type ValueError, ValueErrorType } from './typebox.ts'

/** Maximum number of errors: more do not help to correct a request. */
export const MAX_ERRORS = 20
/** Characters of a place in a request. Names come from the request, and may be as long as it. */
export const MAX_PLACE = 256

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
    default:
      return expected(fault.schema)
  }
}

const expected = (schema: TSchema) => `must be ${noun(schema)}`

/** A schema in words; `errorNoun` replaces them if the keywords do not suffice. */
function noun(schema: TSchema): string {
  if (typeof schema.errorNoun === 'string') return schema.errorNoun
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  // Guarantee of the cast: TypeBox writes `anyOf`. Several variants may have the same words.
  if (schema.anyOf) return [...new Set((schema.anyOf as TSchema[]).map(noun))].join(' or ')
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
