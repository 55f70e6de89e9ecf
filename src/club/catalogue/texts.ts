/**
 * The texts of catalogue entries. Each is a string, or strings by language, of which the first is the
 * default. A row has the default texts in its columns, which statements, events and exports read, and all
 * languages as JSON.
 */
import type { Column } from 'drizzle-orm'
import { asText, type TextByLanguage } from '../../core/texts.ts'
import { type TSchema, Type } from '../../core/typebox.ts'

export type Text = string | TextByLanguage

/** Languages of one text. */
const MAX_LANGUAGES = 30

/** BCP 47: language, script and region, each in its usual case. */
const TAG = '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'

/** A text of a catalogue file. The lengths are those of each language. */
export function Text(maxLength: number, description: string, minLength = 1) {
  const one = Type.String({ minLength, maxLength })
  const errorNoun = `such strings by language, like {"en": "Scarf", "pt-BR": "Cachecol"}, in at most ${MAX_LANGUAGES} languages`
  return Type.Union(
    [
      one,
      Type.Record(Type.String({ pattern: TAG }), one, {
        additionalProperties: false,
        minProperties: 1,
        maxProperties: MAX_LANGUAGES,
        errorNoun,
      }),
    ],
    {
      description: `${description} A string, or strings by language tag, of which the first is the default.`,
      errorNoun: `a string of ${minLength} to ${maxLength} characters or ${errorNoun}`,
    },
  )
}

/** Whether a schema is one of `Text`. */
export const isText = ({ anyOf }: TSchema): boolean => anyOf?.[1]?.patternProperties?.[TAG] !== undefined

const isTag = new RegExp(TAG)

/** Whether a member of an entry is a text in several languages. */
const isByLanguage = (value: unknown): value is TextByLanguage =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(([tag, text]) => isTag.test(tag) && typeof text === 'string') &&
  Object.keys(value).length > 0

/** Tags that BCP 47 replaces by others, such as `iw`: no preference would ever find them. */
export const textFaults = (pointer: string, text: unknown) =>
  Object.keys(isByLanguage(text) ? text : {}).flatMap(tag => {
    const [canonical = tag] = Intl.getCanonicalLocales(tag)
    return canonical === tag
      ? []
      : [{ pointer: `${pointer}/${tag}`, message: `must be ${canonical}, its canonical tag` }]
  })

/** The text in its default language. */
export const defaultOf = (text: Text): string => (isByLanguage(text) ? (Object.values(text)[0] ?? '') : text)

/** The text as a response has it: in the language that is chosen when the response is rendered. */
export const presentText = (text: Text): string => (typeof text === 'string' ? text : asText(text))

/** The columns of an entry's members. */
type Columns<Members> = {
  [Name in keyof Members]: TextByLanguage extends Members[Name]
    ? string | Exclude<Members[Name], TextByLanguage>
    : Members[Name]
} & { translations: string | null }

/** As `columnsOfTexts`, of the members of an entry: one without its column in the table does not compile. */
export const columnsIn = <Members extends object, Table extends Record<keyof Members, Column>>(
  _table: Table,
  members: Members,
): Columns<Members> => columnsOfTexts(members)

/** `members` has no objects but dates, lists and texts. */
export function columnsOfTexts<Members extends object>(members: Members): Columns<Members> {
  const translated = Object.entries(members).filter(([, value]) => isByLanguage(value))
  const defaults = translated.map(([name, text]) => [name, defaultOf(text)])
  return {
    ...members,
    ...Object.fromEntries(defaults),
    translations: translated.length > 0 ? JSON.stringify(Object.fromEntries(translated)) : null,
  }
}

interface HasTexts {
  translations: string | null
}

/** Guarantee of the cast: only `columnsOfTexts` writes the column. */
const parse = (json: string) => JSON.parse(json) as Record<string, TextByLanguage>

/** The row with the texts as an entry states them. */
export const statedTexts = <Row extends HasTexts>({ translations, ...row }: Row) =>
  translations === null ? row : { ...row, ...parse(translations) }

/** The row with the texts as a response has them. */
export function presentTexts<Row extends HasTexts>({ translations, ...row }: Row): Omit<Row, 'translations'> {
  if (translations === null) return row
  const texts = Object.entries(parse(translations)).map(([name, text]) => [name, asText(text)])
  return { ...row, ...Object.fromEntries(texts) }
}

/** Whether two values of a member are the same. The order of a text's languages counts: the first is the default. */
export function isSame(from: unknown, to: unknown): boolean {
  if (isByLanguage(from) && isByLanguage(to)) return JSON.stringify(from) === JSON.stringify(to)
  if (!isPlain(from) || !isPlain(to)) return Bun.deepEquals(from, to)
  const names = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...names].every(name => isSame(from[name], to[name]))
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/**
 * The differences between two values of a member, by language for a text in several languages. Empty if they
 * are the same.
 */
export function changesOf(
  name: string,
  from: unknown,
  to: unknown,
): Record<string, [from: unknown, to: unknown]> {
  if (isSame(from, to)) return {}
  const tags =
    isByLanguage(from) && isByLanguage(to) ? [...new Set([...Object.keys(from), ...Object.keys(to)])] : []
  // Guarantee of the cast: without tags no member is read.
  const [before, after] = [Object(from), Object(to)] as TextByLanguage[]
  const changed = tags.filter(tag => before?.[tag] !== after?.[tag])
  // Otherwise only their order differs, and so the default.
  if (changed.length === 0) return { [name]: [from, to] }
  return Object.fromEntries(
    changed.map(tag => [`${name}/${tag}`, [before?.[tag] ?? null, after?.[tag] ?? null]]),
  )
}
