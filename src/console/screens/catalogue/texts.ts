/** The texts of an entry by language: which are stated, which are missing, and how one is written. */
import {
  escaped,
  isMembers,
  type Members,
  type Schema,
  shapeOf,
  type Value,
  variantOf,
  withoutNull,
} from './shapes.ts'

/** One for all languages, or one for each: the first is the default. */
export type Text = string | Record<string, string>

interface StatedText {
  pointer: string
  text: Text
}

/** The stated texts of a value, at any depth. An emptied text that can be left out is not stated. */
export function listTexts(given: Schema, value: Value, pointer: string, required = true): StatedText[] {
  const { schema, nullable } = withoutNull(given)
  const shape = shapeOf(schema)
  if (value === null || value === undefined) return []
  if (shape.is === 'text') {
    if (typeof value !== 'string' && !isMembers(value)) return []
    // Guarantee of the cast: the schema allows texts here.
    const text = value as Text
    return isEmptied(text) && (nullable || !required) ? [] : [{ pointer, text }]
  }
  if (shape.is === 'object' && isMembers(value))
    return Object.entries(shape.properties).flatMap(([name, member]) =>
      listTexts(member, value[name], `${pointer}/${escaped(name)}`, shape.required.includes(name)),
    )
  if (shape.is === 'list' && Array.isArray(value))
    return value.flatMap((item, nth) => listTexts(shape.items, item, `${pointer}/${nth}`))
  if (shape.is === 'variants') return listTexts(variantOf(shape.variants, value), value, pointer)
  return []
}

const isEmptied = (text: Text): boolean =>
  typeof text === 'string' ? text === '' : Object.values(text).every(words => words === '')

/** The text in a language; a text without languages is in the first one. Undefined: there is none. */
export function inLanguage(text: Text, language: string, first: string): string | undefined {
  if (typeof text === 'string') return language === first ? text : undefined
  return Object.hasOwn(text, language) ? text[language] : undefined
}

/** What fans read who have no text in their language. */
export const defaultOf = (text: Text): string =>
  typeof text === 'string' ? text : (Object.values(text)[0] ?? '')

/** Without texts such as 2026/27, which have no letter and are the same in every language. One that is not written yet counts. */
export const countMissing = (texts: StatedText[], language: string, first: string): number =>
  texts.filter(({ text }) => !inLanguage(text, language, first) && /\p{L}|^$/u.test(defaultOf(text))).length

/** The languages of texts, in addition to the known ones. */
export const languagesOf = (texts: StatedText[], known: string[]): string[] => [
  ...new Set([...known, ...texts.flatMap(({ text }) => (typeof text === 'string' ? [] : Object.keys(text)))]),
]

/** An emptied text stays until the form is sent, so that its language keeps its place. */
export function writeIn(text: Text, language: string, first: string, written: string): Text {
  if (typeof text === 'string') {
    if (language === first) return written
    return text === '' ? { [language]: written } : { [first]: text, [language]: written }
  }
  if (Object.hasOwn(text, language)) return { ...text, [language]: written }
  return language === first ? { [language]: written, ...text } : { ...text, [language]: written }
}

/** A value without emptied texts, as it is sent. */
export function withoutEmptied(given: Schema, value: Value, first: string): Value {
  const { schema, nullable } = withoutNull(given)
  const shape = shapeOf(schema)
  if (shape.is === 'text' && isMembers(value)) return stripped(value, first) || (nullable ? null : '')
  if (shape.is === 'object' && isMembers(value)) {
    const members: Members = { ...value }
    for (const [name, member] of Object.entries(shape.properties))
      if (name in value) members[name] = withoutEmptied(member, value[name], first)
    return members
  }
  if (shape.is === 'list' && Array.isArray(value))
    return value.map(item => withoutEmptied(shape.items, item, first))
  if (shape.is === 'variants') return withoutEmptied(variantOf(shape.variants, value), value, first)
  return value
}

function stripped(text: Members, first: string): Value {
  const all = Object.entries(text)
  const written = all.filter(([, words]) => words !== '')
  if (written.length === all.length) return text
  const [only, ...others] = written
  if (only === undefined) return ''
  return others.length === 0 && only[0] === first ? only[1] : Object.fromEntries(written)
}
