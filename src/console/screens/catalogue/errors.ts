/** Errors of an entry in words: the field and the language that each is about, and what to change. */
import { type Problem, ProblemError } from '../../api.ts'
import { formatCount, nameOfCountry, nameOfLanguage } from '../../parts/format.ts'
import { isMembers, labelOf, type Schema, shapeOf, singular, type Value, withoutNull } from './shapes.ts'

type Fault = NonNullable<Problem['errors']>[number]

const ROOT = '/entry'
/** The largest whole number of JSON: no limit that staff would know. */
const LARGEST = String(Number.MAX_SAFE_INTEGER)

const partsOf = (pointer: string) =>
  pointer
    .slice(ROOT.length)
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The schema of a part of an entry; undefined if it is not known. */
function schemaAt(schema: Schema, parts: string[]): Schema | undefined {
  const [part, ...others] = parts
  const { schema: inner } = withoutNull(schema)
  if (part === undefined) return inner
  const shape = shapeOf(inner)
  if (shape.is === 'list') return schemaAt(shape.items, others)
  const list = shape.is === 'variants' ? shape.variants.find(({ type }) => type === 'array') : undefined
  if (list && /^\d+$/.test(part)) return schemaAt(list, parts)
  const properties =
    shape.is === 'object' ? shape.properties : shape.is === 'short' ? shape.long.properties : undefined
  const member =
    properties?.[part] ??
    (shape.is === 'variants'
      ? shape.variants.find(one => one.properties?.[part])?.properties?.[part]
      : undefined)
  return member && schemaAt(member, others)
}

const valueAt = (value: Value, parts: string[]): Value =>
  parts.reduce<Value>(
    (at, part) => (at === null || typeof at !== 'object' ? undefined : Object(at)[part]),
    value,
  )

/** The language that an error is about; null: of no language. */
export function languageAt(schema: Schema, pointer: string): string | null {
  const parts = partsOf(pointer)
  const tag = parts.at(-1)
  const text = schemaAt(schema, parts.slice(0, -1))
  return tag !== undefined && text && parts.length > 1 && shapeOf(text).is === 'text' ? tag : null
}

/** `/entry/variants/1/name/pt`: Variant 2, Name in Portuguese. */
export function wordsOf(schema: Schema, pointer: string): string {
  const language = languageAt(schema, pointer)
  const parts = partsOf(pointer).slice(0, language === null ? undefined : -1)
  const words: string[] = []
  for (const [nth, part] of parts.entries()) {
    const list = parts[nth - 1]
    if (/^\d+$/.test(part) && list !== undefined)
      words.splice(-1, 1, `${singular(labelOf(list))} ${Number(part) + 1}`)
    else words.push(/^[A-Z]{2}$/.test(part) ? nameOfCountry(part) : labelOf(part))
  }
  const place = words.join(', ')
  return language === null ? place : `${place} in ${nameOfLanguage(language)}`
}

/** The error with faults that a person understands, each at the language that it is about. */
export function explained(error: unknown, schema: Schema, entry: Value, first: string): unknown {
  if (!(error instanceof ProblemError) || !error.problem.errors) return error
  const errors = error.problem.errors.flatMap(fault => explainFault(fault, schema, entry, first))
  return new ProblemError({ ...error.problem, errors })
}

function explainFault(fault: Fault, schema: Schema, entry: Value, first: string): Fault[] {
  const { pointer, message } = fault
  if (pointer === undefined || !pointer.startsWith(`${ROOT}/`)) return [fault]
  const parts = partsOf(pointer)
  const member = schemaAt(schema, parts)
  const value = valueAt(entry, parts)
  const shape = member && shapeOf(member)
  if (shape?.is === 'text') {
    const faults = faultsOfText(pointer, value, shape.max, first)
    return faults.length > 0 ? faults : [fault]
  }
  if (value === '' || ((value === null || value === undefined) && !message.endsWith(' or null')))
    return [{ pointer, message: shape?.is === 'choice' ? 'Choose one.' : 'Fill this in.' }]
  return [{ pointer, message: inWords(message) }]
}

function faultsOfText(pointer: string, value: Value, max = Infinity, first: string): Fault[] {
  const texts: [string, Value][] = isMembers(value) ? Object.entries(value) : [[first, value]]
  return texts.flatMap(([language, text]) => {
    const length = typeof text === 'string' ? [...text].length : 0
    const at = `${pointer}/${language}`
    if (length === 0) return [{ pointer: at, message: 'Write this text.' }]
    if (length <= max) return []
    const message = `At most ${formatCount(max)} characters fit, and these are ${formatCount(length)}.`
    return [{ pointer: at, message }]
  })
}

/** A message of the API as a sentence. */
function inWords(message: string): string {
  const text = message
    .replace(` of 0 to ${LARGEST}`, ' of 0 or more')
    .replace(new RegExp(`of (\\d+) to ${LARGEST}`), 'of $1 or more')
    .replace(/ or null$/, ', or empty')
    .replace(/^must /, 'It must ')
  return /[.!?]$/.test(text) ? text : `${text}.`
}
