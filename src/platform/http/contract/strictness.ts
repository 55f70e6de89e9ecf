/** Requirements on every input schema. `operation` throws for a schema that does not meet them. */
import { TransformKind, type TSchema } from '../../../core/typebox.ts'

/** A pattern bounds the length of a string if it is anchored and has no unbounded repetition. */
const UNBOUNDED = /[*+]|\{\d+,\}/
const CLASS = /\[(\\.|[^\]\\])*\]/g

/**
 * Objects are closed, strings and arrays bounded, numbers whole and bounded, values not transformed. `open`, for bodies of other
 * systems: objects may have `additionalProperties: true`.
 * @throws Error with the place as a JSON Pointer (RFC 6901), for the developer who declares the operation
 */
export function requireStrict(
  schema: TSchema,
  { open = false }: { open?: boolean } = {},
  pointer = '',
): void {
  const inner = (member: TSchema, name: string) => requireStrict(member, { open }, `${pointer}/${name}`)
  const refuse = (why: string) => {
    throw new Error(`the schema of an input is not strict at "${pointer}": ${why}`)
  }
  if (TransformKind in schema) refuse('it transforms the value')
  if (Array.isArray(schema.anyOf)) {
    for (const [n, variant] of schema.anyOf.entries()) inner(variant, `anyOf/${n}`)
    return
  }
  if (schema.const !== undefined) return
  switch (schema.type) {
    case 'boolean':
    case 'null':
      return
    case 'object':
      if (schema.additionalProperties !== false && !(open && schema.additionalProperties === true))
        refuse('an object must be closed')
      for (const [name, member] of Object.entries<TSchema>(schema.properties ?? {})) inner(member, name)
      return
    case 'Uint8Array':
      if (!Number.isInteger(schema.maxByteLength)) refuse('bytes need maxByteLength')
      return
    case 'array':
      if (!Number.isInteger(schema.maxItems)) refuse('an array needs maxItems')
      inner(schema.items, 'items')
      return
    case 'integer':
      if (!Number.isSafeInteger(schema.minimum) || !Number.isSafeInteger(schema.maximum))
        refuse('an integer needs a minimum and a maximum that JavaScript holds exactly')
      return
    case 'string':
      if (!isBounded(schema)) refuse('a string needs maxLength, a format, or a pattern that bounds it')
      return
    default:
      refuse('its type is not supported')
  }
}

function isBounded({ maxLength, format, pattern }: TSchema): boolean {
  if (Number.isInteger(maxLength) || typeof format === 'string') return true
  return (
    typeof pattern === 'string' && /^\^.*\$$/.test(pattern) && !UNBOUNDED.test(pattern.replace(CLASS, ''))
  )
}
