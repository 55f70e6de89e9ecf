/**
 * An example for a schema: its own example, or one that is built from the examples of its required members.
 */
import type { TSchema } from '../../core/typebox.ts'

const MADE: Record<string, unknown> = {
  string: 'example',
  integer: 1,
  number: 1,
  boolean: true,
  array: [],
  null: null,
}

export function exampleOf(schema: TSchema): unknown {
  const { examples, const: constant, anyOf, type, properties, required = [], items, minimum } = schema
  if (Array.isArray(examples)) return examples[0]
  if (constant !== undefined) return constant
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0])
  if (type === 'array' && items) return [exampleOf(items)]
  if (type === 'object') {
    const members = Object.entries((properties ?? {}) as Record<string, TSchema>).filter(([name]) =>
      required.includes(name),
    )
    return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member)]))
  }
  return typeof minimum === 'number' && minimum > 1 ? minimum : MADE[String(type)]
}
