/**
 * The vocabulary of every body, query and answer. Objects are closed: an unknown member is refused, never dropped.
 * A schema with a `title` becomes a component of that name in the OpenAPI document.
 */
import {
  FormatRegistry,
  type ObjectOptions,
  type SchemaOptions,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'

/** A closed object. `title` names the component. */
export function Closed<P extends TProperties>(properties: P, options: ObjectOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

export function Nullable<S extends TSchema>(schema: S, options: SchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** A whole number that JavaScript holds exactly. */
export const Integer = (options: { description?: string; minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ maximum: Number.MAX_SAFE_INTEGER, ...options })

const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
FormatRegistry.Set('date-time', value => {
  const ms = ISO_INSTANT.test(value) ? Date.parse(value) : Number.NaN
  // A year 0 is none for PostgreSQL, and 30 February is 2 March by another name.
  return !value.startsWith('0000') && !Number.isNaN(ms) && new Date(ms).toISOString() === value
})

/** ISO 8601, UTC, milliseconds, `Z`. */
export const Instant = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-08-15T18:30:00.000Z'] })

export const Slug = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[a-z0-9][a-z0-9._-]*$',
    description,
    errorNoun: 'an id of ours',
  })

/** How many, and from where on: see `pagination.ts`. Query values are text: nothing is coerced. */
export const PageQuery = {
  limit: Type.Optional(
    Type.String({
      pattern: '^([1-9][0-9]?|100)$',
      description: 'How many to answer, 1 to 100.',
      errorNoun: 'a whole number of 1 to 100',
      // What the OpenAPI document says instead: the wire carries digits, clients think of a number.
      documentedAs: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 512, description: 'The `nextCursor` of the answer before.' }),
  ),
}

export const NextCursor = Nullable(Type.String(), {
  description: 'Where the next page begins; null at the end.',
})
