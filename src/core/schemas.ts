/**
 * Building blocks for the schemas of bodies, queries and responses. Objects are closed: an unknown member is an error.
 * A schema with a `title` becomes a component of that name in the OpenAPI document.
 */

import { Formatted } from './formats.ts'
import { parseInstant, parseQueryInstant } from './instant.ts'
import {
  type ObjectOptions,
  type SchemaOptions,
  type TLiteral,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from './typebox.ts'

/** A closed object. `title` names the component. */
export function Closed<P extends TProperties>(properties: P, options: ObjectOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

export function Nullable<S extends TSchema>(schema: S, options: SchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options)
}

type Literals<Values extends readonly string[]> = { -readonly [At in keyof Values]: TLiteral<Values[At]> }

/** One of these strings. Guarantee of the cast: there is a literal for each, in their order. */
export const OneOf = <const Values extends readonly string[]>(values: Values, options: SchemaOptions = {}) =>
  Type.Union(
    values.map(value => Type.Literal(value)),
    options,
  ) as unknown as TUnion<Literals<Values>>

/** A body of bytes. The types are for the document: what arrived is read from the bytes. */
export const Bytes = (maxByteLength: number, contentMediaTypes: string[], description: string) =>
  Type.Uint8Array({ maxByteLength, contentMediaTypes, description })

export const isBytes = (schema: TSchema | undefined) => schema?.type === 'Uint8Array'

/** An integer that JavaScript represents exactly. */
export const Integer = (options: { description?: string; minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ maximum: Number.MAX_SAFE_INTEGER, ...options })

const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
function isCanonicalInstant(value: string): boolean {
  const ms = ISO_INSTANT.test(value) ? Date.parse(value) : Number.NaN
  // PostgreSQL has no year 0, and `Date` accepts 30 February as 2 March.
  return !value.startsWith('0000') && !Number.isNaN(ms) && new Date(ms).toISOString() === value
}
const isInstant = (value: string) => parseInstant(value) !== null
const isQueryInstant = (value: string) => parseQueryInstant(value) !== null

/** A parameter: any RFC 3339 instant, for `parseQueryInstant`. */
export const InstantParameter = (description: string) =>
  Formatted('query-instant', isQueryInstant, {
    description,
    errorNoun: 'an RFC 3339 instant, such as 2026-11-01T00:00:00Z or 2026-11-01T02:00:00%2B02:00',
    documentedAs: { type: 'string', format: 'date-time', examples: ['2026-11-01T00:00:00Z'] },
  })

/** A member of a body or file: any RFC 3339 instant, for `parseInstant`. */
export const InstantInput = (description: string) =>
  Formatted('instant', isInstant, {
    description,
    errorNoun: 'an RFC 3339 instant, such as 2026-11-01T00:00:00Z or 2026-11-01T02:00:00+02:00',
    documentedAs: { type: 'string', format: 'date-time', description, examples: ['2026-11-01T00:00:00Z'] },
  })

/** A time in a response: ISO 8601, UTC, milliseconds, `Z`. */
export const Instant = (description: string) =>
  Formatted('date-time', isCanonicalInstant, { description, examples: ['2026-08-15T18:30:00.000Z'] })

export const Slug = (description: string, options: SchemaOptions = {}) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[a-z0-9][a-z0-9._-]*$',
    ...options,
    description,
    errorNoun: 'an id: at most 100 of a-z, 0-9, ., _ and -, starting with a letter or a digit',
  })

/** An id that was made at run time: a UUIDv7, opaque to clients. */
export const Id = (description: string) =>
  Type.String({ description, examples: ['01981e2c-7c1f-7000-8000-000000000003'] })

/** An id in a request: of any form, so that an unknown one is 404 rather than 422. */
export const IdReference = (description: string, example = '01981e2c-7c1f-7000-8000-000000000003') =>
  Type.String({ minLength: 1, maxLength: 100, description, examples: [example] })

/** Parameters of a page: see `pagination.ts`. Query values are strings and are not coerced. */
export const PageQuery = {
  limit: Type.Optional(
    Type.String({
      pattern: '^([1-9][0-9]?|100)$',
      description: 'Maximum number of items, 1 to 100.',
      errorNoun: 'a whole number of 1 to 100',
      // The schema in the OpenAPI document: for clients the parameter is a number.
      documentedAs: { type: 'integer', minimum: 1, maximum: 100, default: 50, examples: [20] },
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'The `nextCursor` of the previous page.',
      examples: ['q83vEjRWeJq8N7rQMDE5ODFlMmM'],
    }),
  ),
}

export const NextCursor = Nullable(Type.String(), {
  description: 'Cursor of the next page; null on the last page.',
})
