/** Words that stored entries already use, so that forms offer them: item types, categories, venues and the like. */
import type { Reader } from '../../../../db/index.ts'
import { withoutNull } from '../../../club/catalogue/entry-schema.ts'
import type { TSchema } from '../../../core/typebox.ts'
import { eachPageOfEntries } from '../../../play/catalogue-file/export-file.ts'
import { kindNamed, type RecordKind } from '../../../play/catalogue-file/kinds.ts'
import { collectiblesToShow } from '../../../play/packs/packs.ts'

/** Entries that are read. */
const MAX_READ = 500
/** Words of a member, the most used first. */
const MAX_WORDS = 50

/** More are no list to choose from. */
const MAX_COLLECTIBLES = 1_000

/** The collectibles that entries can name. */
export async function listCollectibles(reader: Reader): Promise<{ id: string; title: string }[]> {
  const rows = await collectiblesToShow(reader).limit(MAX_COLLECTIBLES + 1)
  if (rows.length > MAX_COLLECTIBLES) return []
  return rows
    .map(({ id, name }) => ({ id, title: name }))
    .toSorted((a, b) => a.title.localeCompare(b.title) || (a.id < b.id ? -1 : 1))
}

/** By member: those of one line that name no other entry, no address and no time. */
export async function listSuggestions(reader: Reader, kind: RecordKind): Promise<Record<string, string[]>> {
  const { schema } = kindNamed(kind)
  const members = Object.entries<TSchema>(schema.properties)
    .filter(([name, member]) => isWord(name, withoutNull(member)))
    .map(([name]) => name)
  if (members.length === 0) return {}
  const used = new Map(members.map(name => [name, new Map<string, number>()]))
  let looked = 0
  for await (const entries of eachPageOfEntries(reader, kind)) {
    for (const entry of entries)
      for (const [name, words] of used) {
        const word: unknown = Object(entry)[name]
        if (typeof word === 'string') words.set(word, (words.get(word) ?? 0) + 1)
      }
    looked += entries.length
    if (looked >= MAX_READ) break
  }
  return Object.fromEntries([...used].map(([name, words]) => [name, mostUsed(words)]))
}

const isWord = (name: string, { type, format, pattern = '', maxLength = 100 }: TSchema) =>
  type === 'string' &&
  format === undefined &&
  maxLength <= 100 &&
  !/^(id|.*Id|shortName|eventType)$/.test(name) &&
  !pattern.startsWith('^#')

const mostUsed = (words: Map<string, number>) =>
  [...words]
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MAX_WORDS)
    .map(([word]) => word)
