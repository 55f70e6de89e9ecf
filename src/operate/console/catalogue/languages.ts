/** The languages of the catalogue, and which texts of an entry are missing in one of them. */
import { asc, type Column, isNotNull } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import type { EntryTable } from '../../../club/catalogue/entry.ts'
import { withoutNull } from '../../../club/catalogue/entry-schema.ts'
import { defaultOf, isText, type Text } from '../../../club/catalogue/texts.ts'
import type { TSchema } from '../../../core/typebox.ts'
import { kinds } from '../../../play/catalogue-file/kinds.ts'

/** Entries of each kind whose languages are read. */
const MAX_READ = 500

/** The languages of the catalogue's texts: the default one first, then the most used. */
export async function listLanguages(reader: Reader, defaultLanguage: string): Promise<string[]> {
  const used = new Map<string, number>()
  for (const { table } of kinds)
    for (const texts of await readTranslations(reader, table(reader.tables)))
      for (const tag of new Set(Object.values(texts).flatMap(Object.keys)))
        used.set(tag, (used.get(tag) ?? 0) + 1)
  used.delete(defaultLanguage)
  const byUse = [...used].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  return [defaultLanguage, ...byUse.map(([tag]) => tag)]
}

type Translated = Extract<EntryTable, Record<'translations', Column>>

const isTranslated = (table: EntryTable): table is Translated => 'translations' in table

async function readTranslations(reader: Reader, table: EntryTable): Promise<Record<string, object>[]> {
  if (!isTranslated(table)) return []
  const { id, translations } = table
  const rows = await reader
    .select({ translations })
    .from(table)
    .where(isNotNull(translations))
    .orderBy(asc(id))
    .limit(MAX_READ)
  // Guarantee of the cast: only `columnsOfTexts` writes the column.
  return rows.map(row => JSON.parse(row.translations ?? '{}') as Record<string, object>)
}

/** A text without one, such as 2026/27, is the same in every language. */
const LETTER = /\p{L}/u

/** How many texts of an entry lack each of the languages. A text without languages is in the default one, the first. */
export function missingIn(
  schema: TSchema,
  entry: unknown,
  [first = '', ...others]: string[],
): { language: string; texts: number }[] {
  const texts = textsOf(schema, entry).filter(text => LETTER.test(defaultOf(text)))
  const lacks = (language: string) =>
    texts.filter(text =>
      typeof text === 'string' ? language !== first : !Object.hasOwn(Object(text), language),
    ).length
  return [first, ...others]
    .map(language => ({ language, texts: lacks(language) }))
    .filter(({ texts }) => texts > 0)
}

/** The stated texts of a value, which is valid, at any depth. */
function textsOf(schema: TSchema, value: unknown): Text[] {
  if (value === null || value === undefined) return []
  // Guarantee of the cast: the value is valid.
  if (isText(schema)) return [value as Text]
  const inner = withoutNull(schema)
  if (inner !== schema) return textsOf(inner, value)
  // No form of a union has texts.
  if (schema.anyOf) return []
  if (Array.isArray(value)) return value.flatMap(item => textsOf(schema.items, item))
  return Object.entries<TSchema>(schema.properties ?? {}).flatMap(([name, member]) =>
    textsOf(member, Object(value)[name]),
  )
}
