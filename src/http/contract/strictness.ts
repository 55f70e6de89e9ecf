/** What every schema of an input must say, so that strictness is no habit to remember: `operation` refuses the others. */
import { TransformKind, type TSchema } from '@sinclair/typebox'

/** A pattern bounds a text when it is anchored and repeats nothing without end. */
const UNENDING = /[*+]|\{\d+,\}/
const CLASS = /\[(\\.|[^\]\\])*\]/g

interface Leniency {
  /** For deliveries of other systems: an object may say `additionalProperties: true`, and only what is read is named. */
  open?: boolean
}

/**
 * Objects closed, texts and lists bounded, numbers whole and bounded, nothing coerced.
 * @throws Error naming the place (RFC 6901), for the developer who declares the operation
 */
export function requireStrict(schema: TSchema, { open = false }: Leniency = {}, at = ''): void {
  const inner = (member: TSchema, name: string) => requireStrict(member, { open }, `${at}/${name}`)
  const refuse = (why: string) => {
    throw new Error(`the schema of an input is not strict at "${at}": ${why}`)
  }
  if (TransformKind in schema) refuse('it changes what came')
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
      refuse('its type is none of ours')
  }
}

function isBounded({ maxLength, format, pattern }: TSchema): boolean {
  if (Number.isInteger(maxLength) || typeof format === 'string') return true
  return typeof pattern === 'string' && /^\^.*\$$/.test(pattern) && !UNENDING.test(pattern.replace(CLASS, ''))
}
