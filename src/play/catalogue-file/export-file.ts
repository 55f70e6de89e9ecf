/**
 * The stored catalogue in the format of an import. Importing an export into an empty database and exporting again gives the
 * same file.
 */
import { asc, gt } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { type CatalogueRecord, kindNamed, kinds, type ListName, type RecordKind } from './kinds.ts'

type Entry = CatalogueRecord['entry']

/** Entries per statement: a pack may have a thousand items. */
const PAGE = 100

/** The lists of a catalogue file, in the order of an import, with every entry, active or not. */
export async function exportCatalogue(
  reader: Reader,
  lists: Iterable<ListName>,
): Promise<Partial<Record<ListName, Entry[]>>> {
  const wanted = new Set(lists)
  const catalogue: Partial<Record<ListName, Entry[]>> = {}
  for (const { list, kind } of kinds) if (wanted.has(list)) catalogue[list] = await readAll(reader, kind)
  return catalogue
}

/** The document of a file. The only entry of a kind is an object without an id, and absent if nothing was stated. */
export function fileOf(catalogue: Partial<Record<ListName, Entry[]>>): Record<string, unknown> {
  const members = kinds.flatMap(({ kind, list, only }) => {
    const entries = catalogue[list]
    if (only === undefined) return entries ? [[list, entries]] : []
    return entries?.[0] ? [[list, entryInFile(kind, entries[0])]] : []
  })
  return Object.fromEntries(members)
}

export function entryInFile(kind: RecordKind, entry: Entry): object {
  const { id: _, ...members } = entry
  return kindNamed(kind).only === undefined ? entry : members
}

/** In the order of the ids, or in the order that an import needs. */
async function readAll(reader: Reader, kind: RecordKind): Promise<Entry[]> {
  const entries = []
  for await (const page of eachPageOfEntries(reader, kind)) entries.push(...page)
  return kindNamed(kind).inOrder(entries)
}

/** All entries of a kind, by id, after one. */
export async function* eachPageOfEntries(
  reader: Reader,
  kind: RecordKind,
  after?: string,
): AsyncGenerator<Entry[]> {
  const { table, read } = kindNamed(kind)
  const { id } = table(reader.tables)
  for (let last = after; ; ) {
    const rows = await reader
      .select({ id })
      .from(table(reader.tables))
      .where(last === undefined ? undefined : gt(id, last))
      .orderBy(asc(id))
      .limit(PAGE)
    const ids = rows.map(row => row.id)
    const byId = new Map((await read(reader, ids)).map(entry => [entry.id, entry]))
    if (ids.length > 0) yield ids.flatMap(known => byId.get(known) ?? [])
    if (ids.length < PAGE) return
    last = ids.at(-1)
  }
}
