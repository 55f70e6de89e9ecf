/** Turns TypeBox's schemas into idiomatic JSON Schema: components, enums and nullable types. */

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const mapValues = (object: Json, change: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))

/** Their values are data, whatever it looks like. */
const DATA_KEYWORDS = new Set(['example', 'examples', 'default', 'const', 'enum'])
const SCALARS = new Set<unknown>(['string', 'integer', 'number', 'boolean'])

/** Changes each schema, those of its members first. */
export function mapSchemas(value: unknown, change: (schema: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map(item => mapSchemas(item, change))
  if (!isObject(value)) return value
  const mapped = Object.entries(value).map(([key, member]) => {
    if (DATA_KEYWORDS.has(key)) return [key, member]
    // Names of members are not keywords: a member may well be called `default`.
    if (key === 'properties' && isObject(member))
      return [key, mapValues(member, schema => mapSchemas(schema, change))]
    return [key, mapSchemas(member, change)]
  })
  return change(Object.fromEntries(mapped))
}

/** For responses, which can gain members at any time: a generated client must not refuse them. */
export const openObjects = (value: unknown): unknown =>
  mapSchemas(value, ({ additionalProperties, ...schema }) =>
    additionalProperties === undefined || additionalProperties === false
      ? schema
      : { additionalProperties, ...schema },
  )

/** Points and ids of positions outgrow 32 bits, which generators for Swift and Kotlin take for an integer without a format. */
export const integersAsInt64 = (value: unknown): unknown =>
  mapSchemas(value, schema =>
    schema.type === 'integer' || (Array.isArray(schema.type) && schema.type.includes('integer'))
      ? { ...schema, format: 'int64' }
      : schema,
  )

/** For requests: generators make a member with `default` required, although it may be left out. */
export const defaultsInWords = (value: unknown): unknown =>
  mapSchemas(value, schema => {
    if (!('default' in schema)) return schema
    const { default: standard, description = '', ...rest } = schema
    return { ...rest, description: `${description} Default: \`${JSON.stringify(standard)}\`.`.trim() }
  })

/**
 * Moves titled object schemas to `components`, and shortens the others. What our own checks added leaves the document.
 * @throws Error when two schemas share a title
 */
export const refineSchemas = (value: unknown, components: Json): unknown =>
  mapSchemas(value, ({ documentedAs, errorNoun: _, ...schema }) => {
    if (isObject(documentedAs)) return documentedAs
    if (typeof schema.title !== 'string' || schema.type !== 'object') return shorten(schema)
    return reference(schema.title, schema, components)
  })

function reference(name: string, schema: Json, components: Json): Json {
  const known = components[name]
  if (known !== undefined && !Bun.deepEquals(known, schema))
    throw new Error(`two schemas are titled ${name}: give one of them another title`)
  components[name] = schema
  return { $ref: `#/components/schemas/${name}` }
}

function shorten(schema: Json): Json {
  const { anyOf, ...outer } = schema
  if (!Array.isArray(anyOf)) return schema
  const variants = anyOf.filter(isObject)
  const [first, last] = [variants[0], variants.at(-1)]
  if (!first || !last) return schema
  if (variants.every(variant => 'const' in variant && variant.type === first.type))
    return { type: first.type, enum: variants.map(variant => variant.const), ...outer }
  const isNullable = variants.length === 2 && last.type === 'null'
  if (!isNullable || !SCALARS.has(first.type) || 'const' in first) return schema
  const values = Array.isArray(first.enum) ? { enum: [...first.enum, null] } : {}
  return { ...first, ...values, ...outer, type: [first.type, 'null'] }
}
