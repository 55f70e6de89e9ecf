/** In what is stated of the catalogue, a member that may be left out may be null: both mean its default. */
import { Nullable } from '../../core/schemas.ts'
import { type Static, type TSchema, Type } from '../../core/typebox.ts'

/** The forms of a union, at any depth, or the schema itself. */
const formsOf = (schema: TSchema): TSchema[] => schema.anyOf?.flatMap(formsOf) ?? [schema]

const takesNull = (schema: TSchema) => formsOf(schema).some(({ type }) => type === 'null')

/** Whether it has the member, which may be left out, and has no null of its own. */
const isOmissible = ({ properties = {}, required = [] }: TSchema, name: string) =>
  Object.hasOwn(properties, name) && !required.includes(name) && !takesNull(properties[name])

/** The value without the null members for which the schema has no null: they are absent, at any depth. */
export const withoutNullMembers = (schema: TSchema, value: unknown): unknown => omit([schema], value)

/** `schemas`: of one of them is the value. */
function omit(schemas: TSchema[], value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const forms = schemas.flatMap(formsOf)
  if (Array.isArray(value)) {
    const items = forms.flatMap(({ items }) => items ?? [])
    return value.map(item => omit(items, item))
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (member === null && forms.some(form => isOmissible(form, name))) return []
    const own = forms.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, name) ? [properties[name]] : [],
    )
    return [[name, omit(own, member)]]
  })
  return Object.fromEntries(members)
}

/** A valid value of `withNullMembers(schema)`. Guarantee of the cast: without these nulls it is one of the schema. */
export const statedMembers = <Schema extends TSchema>(schema: Schema, value: unknown) =>
  withoutNullMembers(schema, value) as Static<Schema>

/** The schema of what is stated: each member that may be left out may be null, at any depth. */
export function withNullMembers(schema: TSchema): TSchema {
  const { anyOf, items, properties } = schema
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map(withNullMembers) }),
    ...(items && { items: withNullMembers(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.keys(properties).map(name => {
          const member = withNullMembers(properties[name])
          return [name, isOmissible(schema, name) ? Type.Optional(orNull(member)) : member]
        }),
      ),
    }),
  }
}

/** What is said of the member is said of the whole: a document shows it there. */
function orNull(member: TSchema): TSchema {
  const { description, default: standard, ...inner } = member
  return Nullable(
    // Guarantee of the cast: these members say nothing of what is valid.
    inner as TSchema,
    { ...(description && { description }), ...(standard !== undefined && { default: standard }) },
  )
}
