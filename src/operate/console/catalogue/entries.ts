/** Entries of the catalogue as the console lists and shows them. */
import type { Reader } from '../../../../db/index.ts'
import { isSwitched } from '../../../club/catalogue/entry.ts'
import { readRevisionNumber } from '../../../club/catalogue/history.ts'
import { catalogueProblems } from '../../../club/catalogue/problems.ts'
import { type Cursors, cutPage, type Page, pageOf } from '../../../core/pagination.ts'
import { DomainError } from '../../../core/problems.ts'
import { eachPageOfEntries } from '../../../play/catalogue-file/export-file.ts'
import { entryJsonSchema } from '../../../play/catalogue-file/json-schema.ts'
import {
  type CatalogueRecord,
  kindNamed,
  kinds,
  type RecordKind,
} from '../../../play/catalogue-file/kinds.ts'
import { listLanguages } from './languages.ts'
import { columnsOf, hasLeft, inOrder, type ListedEntry, presentRow } from './listed-entry.ts'
import type { EntriesQuery } from './schema.ts'
import { listCollectibles, listSuggestions } from './suggestions.ts'

type Entry = CatalogueRecord['entry']

/** The kinds with the number of their entries. */
export async function listKinds(reader: Reader) {
  const counted = kinds.map(async ({ table, ...declared }) => {
    const { kind, list, only = null, about, givesValue } = declared
    const entries = table(reader.tables)
    const shown = { kind, list, only, about, givesValue, columns: columnsOf(kind) }
    if (!isSwitched(entries)) return { ...shown, entries: 1, active: 1 }
    const rows = await reader.select({ active: entries.active }).from(entries)
    return { ...shown, entries: rows.length, active: rows.filter(row => row.active).length }
  })
  return { kinds: await Promise.all(counted) }
}

/** Maximum entries that one request searches. A search with few results needs several requests. */
const MAX_READ = 2_000

interface ListDeps {
  read: Reader
  cursors: Cursors
  config: { defaultLanguage: string }
}

/** A page of the entries of a kind, by id or sorted. The search is in ids and all texts, in every language. */
export async function listEntries(
  { read, cursors, config }: ListDeps,
  kind: RecordKind,
  query: EntriesQuery,
) {
  const { limit, cursor }: Page = pageOf(query)
  const { sort, order = 'asc', left, state } = query
  const search = query.search?.trim().toLowerCase() ?? ''
  const list = `console catalogue ${JSON.stringify([kind, search, state, left, sort, order])}`
  const languages = await listLanguages(read, config.defaultLanguage)
  const { only, read: readEntries } = kindNamed(kind)
  const rowsOf = (entries: Entry[]) => presentRows(read, kind, entries, languages)
  if (only !== undefined) return { entries: await rowsOf(await readEntries(read, [only])), nextCursor: null }
  const matches = (entry: Entry, row: ListedEntry) =>
    (state === undefined || row.state === state) &&
    hasLeft(row, left) &&
    (search === '' || [row.title, ...textsIn(entry)].some(text => text.toLowerCase().includes(search)))
  const found: ListedEntry[] = []
  let looked = 0
  let last = cursors.decode(list, cursor)
  for await (const entries of eachPageOfEntries(read, kind, sort === undefined ? last : undefined)) {
    const rows = await rowsOf(entries)
    for (const [index, entry] of entries.entries()) {
      const row = rows[index]
      if (!row) continue
      const isMatch = matches(entry, row)
      // Ends a page only before another matching entry, so that the page after the last one is never empty.
      if (sort === undefined && ((isMatch && found.length === limit) || looked === MAX_READ))
        return { entries: found, nextCursor: last === undefined ? null : cursors.encode(list, last) }
      looked++
      if (sort === undefined) last = entry.id
      if (isMatch) found.push(row)
    }
  }
  if (sort === undefined) return { entries: found, nextCursor: null }
  const sorted = inOrder(found, sort, order === 'desc')
  // An entry that is gone from the list meanwhile: the list begins again.
  const { shown, nextCursor } = cutPage(
    sorted.slice(sorted.findIndex(({ id }) => id === last) + 1),
    limit,
    ({ id }) => cursors.encode(list, id),
  )
  return { entries: shown, nextCursor }
}

async function presentRows(reader: Reader, kind: RecordKind, entries: Entry[], languages: string[]) {
  const { takenBy, readInventory, describe } = kindNamed(kind)
  const ids = entries.map(({ id }) => id)
  const inventory = takenBy === undefined ? new Map() : await readInventory(reader, ids)
  const descriptions = await describe(reader, entries)
  const now = reader.now()
  return entries.map(entry => presentRow(kind, entry, { now, languages, inventory, descriptions }))
}

/** @throws DomainError `entry_not_found` */
export async function readEntry(reader: Reader, kind: RecordKind, id: string, defaultLanguage: string) {
  // Read first: if the entry changes between the two reads, saving this state is refused.
  const revision = await readRevisionNumber(reader, kind, id)
  const entry = await requireEntry(reader, kind, id)
  const overridden = kindNamed(kind).overriddenIn(reader)
  const schema = entryJsonSchema(kind, overridden)
  const forForm = await readForForm(reader, kind, defaultLanguage)
  const [row] = await presentRows(reader, kind, [entry], forForm.languages)
  if (!row) throw new Error('one entry is one row')
  return { ...row, kind, revision, entry, schema, overridden, ...forForm }
}

/** For the form of a new entry. */
export async function readSchema(reader: Reader, kind: RecordKind, defaultLanguage: string) {
  return { schema: entryJsonSchema(kind), ...(await readForForm(reader, kind, defaultLanguage)) }
}

async function readForForm(reader: Reader, kind: RecordKind, defaultLanguage: string) {
  return {
    languages: await listLanguages(reader, defaultLanguage),
    suggestions: await listSuggestions(reader, kind),
    collectibles: await listCollectibles(reader),
  }
}

/** @throws DomainError `entry_not_found` */
export async function requireEntry(reader: Reader, kind: RecordKind, id: string): Promise<Entry> {
  const [entry] = await kindNamed(kind).read(reader, [id])
  if (!entry) throw new DomainError(catalogueProblems.entry_not_found)
  return entry
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
