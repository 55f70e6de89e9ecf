/** Documents that fans agree to or not, each for a purpose. Of a purpose one at most is active: its version is the current one. */
import { and, asc, eq, ne } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { Closed } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { forgetSettings } from '../../platform/settings/settings.ts'
import { Active, EntrySlug } from '../catalogue/entry-schema.ts'
import { declarePlainKind } from '../catalogue/plain-kind.ts'
import { defaultOf, statedTexts, Text } from '../catalogue/texts.ts'
import { bumpVersion } from '../catalogue/versions.ts'

const DocumentEntry = Closed(
  {
    id: EntrySlug('Slug of the document.'),
    version: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: '^[\\w.-]+$',
      description: 'Version of the text. A fan agrees to a version.',
      errorNoun: '1 to 64 letters, digits, dots, hyphens and underscores',
      examples: ['2026-07'],
    }),
    purpose: EntrySlug('What it is for, such as terms, marketing or analytics.'),
    text: Text(20_000, 'What the fan reads.'),
    required: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether apps do not continue without it. Fans write public texts only after they have accepted required terms.',
      }),
    ),
    active: Active,
  },
  { title: 'Document' },
)

/** Of each purpose at most one. */
export const readCurrentDocuments = prepared((reader: Reader) => {
  const { documents } = reader.tables
  const { id, version, purpose, required } = documents
  return reader
    .select({ id, version, purpose, required })
    .from(documents)
    .where(eq(documents.active, true))
    .orderBy(asc(id))
})

/** Fans agree to a version: its text stays. Further languages may follow. */
async function textFaults(reader: Reader, { id, version, text }: typeof DocumentEntry.static) {
  const { documents } = reader.tables
  const [stored] = await reader.select().from(documents).where(eq(documents.id, id))
  if (stored?.version !== version) return []
  // Guarantee of the cast: the import writes it.
  const { text: before } = statedTexts(stored) as Pick<typeof DocumentEntry.static, 'text'>
  // One text without a language is that of the default language.
  const isKept =
    typeof before === 'string'
      ? defaultOf(text) === before
      : typeof text !== 'string' && Object.entries(before).every(([language, of]) => text[language] === of)
  const message = `must stay as it is in version ${version}, to which fans agree: state another version`
  return isKept ? [] : [{ pointer: '/text', message }]
}

const isSecond = { pointer: '/purpose', message: 'has another active document' }

export const documentKind = declarePlainKind({
  kind: 'document',
  list: 'documents',
  about: 'A text that fans agree to or not: terms, marketing.',
  schema: DocumentEntry,
  givesValue: false,
  table: ({ documents }) => documents,
  titleOf: ({ id, version }) => `${id} ${version}`,
  clashesOf(entries) {
    const active = entries.filter(({ active = true }) => active)
    return active.flatMap((entry, index) =>
      active.findIndex(({ purpose }) => purpose === entry.purpose) < index ? [{ entry, ...isSecond }] : [],
    )
  },
  async conflicts(reader: Reader, entry, { isWritten = () => false } = {}) {
    const { id, purpose, active = true } = entry
    const changed = await textFaults(reader, entry)
    if (!active) return changed
    const { documents } = reader.tables
    const isOther = and(eq(documents.purpose, purpose), eq(documents.active, true), ne(documents.id, id))
    const others = await reader.select({ id: documents.id }).from(documents).where(isOther)
    // One that the same import has written is compared in its file.
    return [...changed, ...(others.some(other => !isWritten('documents', other.id)) ? [isSecond] : [])]
  },
  async lock(tx) {
    await bumpVersion(tx)
    // Required terms are part of the settings in force.
    forgetSettings(tx)
  },
})
