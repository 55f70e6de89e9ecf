/** Reads the JSON Schema of an entry for its form. */
import { sentence } from '../../parts/capital.ts'

/** The keywords that the schemas of entries use. */
export interface Schema {
  type?: string
  title?: string
  description?: string
  format?: string
  pattern?: string
  default?: unknown
  readOnly?: boolean
  const?: unknown
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  anyOf?: Schema[]
  items?: Schema
  required?: string[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  examples?: unknown[]
}

export type Value = unknown
export type Members = Record<string, Value>

export type Shape =
  | { is: 'text'; max: number | undefined }
  | { is: 'choice'; options: (string | number)[] }
  | { is: 'instant' | 'picture' | 'colour' | 'conditions' | 'fact-conditions' | 'rates' }
  | { is: 'number'; min: number | undefined; max: number | undefined; isWhole: boolean }
  | { is: 'flag' }
  | { is: 'string'; max: number | undefined; example: string | undefined }
  | { is: 'object'; properties: Record<string, Schema>; required: string[] }
  | { is: 'variants'; variants: Schema[] }
  | { is: 'short'; long: Schema; member: string }
  | { is: 'list'; items: Schema; max: number | undefined; min: number | undefined }
  | { is: 'other' }

const isNull = ({ type }: Schema) => type === 'null'

/** The schema without null, and whether null is allowed. */
export function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
  const variants = schema.anyOf ?? []
  const others = variants.filter(variant => !isNull(variant))
  const [only] = others
  return only && others.length === 1 && others.length < variants.length
    ? { schema: only, nullable: true }
    : { schema, nullable: false }
}

/** The form that a value has, of several ones; else the first. */
export function variantOf(variants: Schema[], value: Value): Schema {
  const fits = ({ type, required = [] }: Schema) =>
    type === 'array' ? Array.isArray(value) : isMembers(value) && required.every(name => name in value)
  return variants.find(fits) ?? variants[0] ?? {}
}

/** The shape of a schema without null. */
export function shapeOf(schema: Schema): Shape {
  const { anyOf, type } = schema
  if (anyOf) {
    const [first, second] = anyOf
    if (first?.type === 'string' && second?.patternProperties) return { is: 'text', max: first.maxLength }
    if (first?.type === 'number' && second?.patternProperties) return { is: 'rates' }
    const options = anyOf.flatMap(({ const: option }) =>
      typeof option === 'string' || typeof option === 'number' ? [option] : [],
    )
    if (options.length === anyOf.length) return { is: 'choice', options }
    const isForm = ({ type, properties }: Schema) => type === 'array' || properties !== undefined
    return shortShape(anyOf) ?? (anyOf.every(isForm) ? { is: 'variants', variants: anyOf } : { is: 'other' })
  }
  switch (type) {
    case 'boolean':
      return { is: 'flag' }
    case 'integer':
    case 'number':
      return { is: 'number', min: schema.minimum, max: schema.maximum, isWhole: type === 'integer' }
    case 'object':
      return { is: 'object', properties: schema.properties ?? {}, required: schema.required ?? [] }
    case 'array':
      if (schema.items?.title === 'Condition') return { is: 'conditions' }
      if (schema.items?.title === 'SegmentCondition') return { is: 'fact-conditions' }
      return { is: 'list', items: schema.items ?? {}, max: schema.maxItems, min: schema.minItems }
    case 'string':
      return stringShape(schema)
    default:
      return { is: 'other' }
  }
}

/** Of an object, or a list that is the short form of the member with the same schema. */
function shortShape(anyOf: Schema[]): Shape | undefined {
  const [list, long] = [anyOf.find(({ type }) => type === 'array'), anyOf.find(one => one.properties)]
  const member = Object.entries(long?.properties ?? {}).find(([_, schema]) => isEqual(schema, list))?.[0]
  return long && member !== undefined && anyOf.length === 2 ? { is: 'short', long, member } : undefined
}

function stringShape({ format, pattern = '', maxLength, examples }: Schema): Shape {
  if (format === 'date-time') return { is: 'instant' }
  if (pattern.startsWith('^(https://')) return { is: 'picture' }
  if (pattern.startsWith('^#')) return { is: 'colour' }
  const [example] = examples ?? []
  return { is: 'string', max: maxLength, example: typeof example === 'string' ? example : undefined }
}

/** An initial value. */
export function initialOf(given: Schema): Value {
  const { schema, nullable } = withoutNull(given)
  if (given.default !== undefined) return structuredClone(given.default)
  if (nullable) return null
  const shape = shapeOf(schema)
  switch (shape.is) {
    case 'choice':
      return shape.options[0]
    case 'number':
      return shape.min ?? 0
    case 'flag':
      return false
    case 'object':
      return membersOf(shape.properties, shape.required)
    case 'variants':
      return initialOf(shape.variants[0] ?? {})
    case 'short':
      return initialOf(shape.long)
    case 'list':
      return Array.from({ length: shape.min ?? 0 }, () => initialOf(shape.items))
    case 'conditions':
    case 'fact-conditions':
      return []
    default:
      return ''
  }
}

const membersOf = (properties: Record<string, Schema>, names: string[]): Members =>
  Object.fromEntries(names.flatMap(name => (properties[name] ? [[name, initialOf(properties[name])]] : [])))

/** A new entry: every member, so that the form is complete. */
export function newEntry({ properties = {}, required = [] }: Schema): Members {
  const entry: Members = {}
  for (const [name, schema] of Object.entries(properties))
    if (required.includes(name) || schema.default !== undefined || withoutNull(schema).nullable)
      entry[name] = initialOf(schema)
  return entry
}

const LABELS: Record<string, string> = {
  id: 'Id',
  imageUrl: 'Picture',
  crestUrl: 'Crest',
  sku: 'SKU',
  startsAt: 'Starts',
  endsAt: 'Ends',
  kickoffAt: 'Kick-off',
  when: 'Conditions',
  per: 'Number at',
  every: 'For every',
  fixed: 'Points for each event',
  shipsTo: 'Countries',
  delivers: 'Delivery',
  requires: 'Requirements',
  notCountries: 'Excluded countries',
  holds: 'Token',
  graceDays: 'Days of grace',
  minAge: 'Minimum age',
  offsetMs: 'Delay of the stream in milliseconds',
  correct: 'Correct answer',
  distinctBy: 'Count each value once, of',
}

/** `pointsRequired`: Points required. */
export function labelOf(name: string): string {
  const words = name
    .replace(/Id(s?)$/, '$1')
    .replaceAll('_', ' ')
    .replace(/([A-Z])/g, ' $1')
    .toLowerCase()
    .trim()
  return LABELS[name] ?? sentence(words)
}

/** Of a label of a list: Variants as Variant. */
export const singular = (label: string) => label.replace(/ies$/, 'y').replace(/s$/, '')

/** Hints for members whose schema description does not help in a form. */
const HINTS: Record<string, string> = {
  active: 'Off: it is stored, but not offered.',
  id: 'A short name without spaces, such as home-scarf. It cannot be changed later.',
  imageUrl: 'An https address, a path of the API such as /pictures/scarf.svg, or an upload.',
  stock: 'Total number of units, including used ones. Empty: no limit.',
  supply: 'Total number of packs, including sold ones. Empty: no limit.',
  taxRate:
    'The tax that the price includes, as a fraction such as 0.21. Empty: receipts show none. Prices in points have none.',
  budget: 'The most points that all fans together can get. Empty: no limit.',
}

/** Of dates that can be left out. */
const OPEN_HINTS: Record<string, string> = {
  startsAt: 'Empty: it starts at once.',
  endsAt: 'Empty: it never ends. At this time it is over.',
}

/** The description, as a hint of a field. */
export function hintOf(name: string, given: Schema): string | undefined {
  const { schema, nullable } = withoutNull(given)
  const hint = HINTS[name] ?? (nullable ? OPEN_HINTS[name] : undefined)
  if (hint !== undefined) return hint
  return (
    (schema.description ?? given.description)
      ?.replace(/ ?A string, or strings by language tag.*$/, '')
      .replace(/`(\w+)`/g, '$1')
      .replace(/\bNull: /, 'Empty: ') || undefined
  )
}

export const isMembers = (value: Value): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A part of a JSON pointer. */
export const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

export const isEqual = (a: Value, b: Value): boolean => {
  if (isMembers(a) && isMembers(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)])
    return [...names].every(name => isEqual(a[name], b[name]))
  }
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  return a === b
}

/**
 * The entry that somebody saved meanwhile, with the user's changes applied. `both`: members that both changed; the user's
 * value is used.
 */
export function mergeChanges(
  base: Members,
  own: Members,
  theirs: Members,
): { merged: Members; both: string[] } {
  const merged: Members = { ...theirs }
  const both: string[] = []
  for (const name of new Set([...Object.keys(base), ...Object.keys(own)])) {
    if (isEqual(own[name], base[name])) continue
    if (!isEqual(theirs[name], base[name]) && !isEqual(theirs[name], own[name])) both.push(name)
    if (own[name] === undefined) delete merged[name]
    else merged[name] = own[name]
  }
  return { merged, both }
}
