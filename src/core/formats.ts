/**
 * Formats of strings: rules that JSON Schema cannot express. A schema contains the rule itself. TypeBox knows
 * formats by name, for the whole process, so they are registered when a schema is used, and not when a module
 * is imported.
 */
import {
  FormatRegistry,
  type SchemaOptions,
  type Static,
  type TSchema,
  Type,
  Value,
  type ValueError,
  ValueErrorType,
} from './typebox.ts'

const ACCEPTS = Symbol('accepts')

/** A string that `accepts` accepts. `name` is unique in the process, and the document shows it. */
export const Formatted = (name: string, accepts: (value: string) => boolean, options: SchemaOptions) =>
  Type.String({ ...options, format: name, [ACCEPTS]: accepts })

const registered = new WeakSet<object>()
const byName = new Map<string, (value: string) => boolean>()

/** Registers the formats of a schema, as Elysia and TypeBox need before they validate with it. */
export function registerFormats(schema: object): void {
  if (registered.has(schema)) return
  registered.add(schema)
  if (ACCEPTS in schema) {
    // Guarantee of the cast: only `Formatted` writes this member.
    const { format, [ACCEPTS]: accepts } = schema as { format: string; [ACCEPTS]: (value: string) => boolean }
    if ((byName.get(format) ?? accepts) !== accepts) throw new Error(`two formats have the name ${format}`)
    byName.set(format, accepts)
    // Elysia has looser ones of its own, such as `date-time`.
    FormatRegistry.Set(format, accepts)
  }
  for (const member of Object.values(schema))
    if (typeof member === 'object' && member) registerFormats(member)
}

export function isValid<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  registerFormats(schema)
  return Value.Check(schema, value)
}

export function errorsOf(schema: TSchema, value: unknown) {
  registerFormats(schema)
  return Value.Errors(schema, value)
}

/** As `errorsOf`. Of a union with one variant for objects, or for arrays, the errors within such a value: they have the place. */
export function* errorsWithin(schema: TSchema, value: unknown): Generator<ValueError> {
  for (const error of errorsOf(schema, value)) yield* placed(error)
}

/** Of an error, those that have the place: itself, or those within the value. */
export function* placed(error: ValueError): Generator<ValueError> {
  const { schema, value, errors, type } = error
  const isList = Array.isArray(value)
  const fits = ({ anyOf, type, properties, errorNoun }: TSchema): boolean => {
    if (anyOf) return anyOf.some(fits)
    // Its own words tell more than a place.
    if (errorNoun !== undefined) return false
    return isList ? type === 'array' : properties !== undefined && Object(value) === value
  }
  const variants: TSchema[] = type === ValueErrorType.Union ? (schema.anyOf ?? []) : []
  const [only, ...others] = variants.flatMap((variant, index) => (fits(variant) ? (errors[index] ?? []) : []))
  if (!only || others.length > 0) yield error
  else for (const inner of only) yield* placed(inner)
}
