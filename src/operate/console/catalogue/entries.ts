/** Entries of the catalogue as the console lists and shows them. */
import type { Reader } from '../../../../db/index.ts'
import { isWithin } from '../../../club/catalogue/availability.ts'
import { instantOf } from '../../../club/catalogue/entry.ts'
import { readRevisionNumber } from '../../../club/catalogue/history.ts'
import { catalogueProblems } from '../../../club/catalogue/problems.ts'
import { type Cursors, type Page, pageOf } from '../../../core/pagination.ts'
import { DomainError } from '../../../core/problems.ts'
import { eachPageOfEntries } from '../../admin/export-catalogue.ts'
import {
  type CatalogueRecord,
  kindNamed,
  kinds,
  type RecordKind,
} from '../../admin/import/catalogue-records.ts'
import { entryJsonSchema } from '../../admin/import/json-schema.ts'
import type { EntriesQuery, EntryState } from './schema.ts'

type Entry = CatalogueRecord['entry']

/** The kinds with the number of their entries. */
export async function listKinds(reader: Reader) {
  const counted = kinds.map(async ({ table, ...declared }) => {
    const { kind, list, about, givesValue } = declared
    const entries = table(reader.tables)
    const rows = await reader.select({ active: entries.active }).from(entries)
    const active = rows.filter(row => row.active).length
    return { kind, list, about, givesValue, entries: rows.length, active }
  })
  return { kinds: await Promise.all(counted) }
}

/** Maximum entries that one request searches. A search with few results needs several requests. */
const MAX_READ = 2_000

/** A page of the entries of a kind, by id. The search is in ids and all texts, in every language. */
export async function listEntries(
  { read, cursors }: { read: Reader; cursors: Cursors },
  kind: RecordKind,
  query: EntriesQuery,
) {
  const { limit, cursor }: Page = pageOf(query)
  const search = query.search?.trim().toLowerCase() ?? ''
  const list = `console catalogue ${JSON.stringify([kind, search, query.state])}`
  const now = read.now()
  const found: ReturnType<typeof presentRow>[] = []
  let looked = 0
  let last = cursors.decode(list, cursor)
  for await (const entries of eachPageOfEntries(read, kind, last))
    for (const entry of entries) {
      const row = presentRow(kind, entry, now)
      const matches =
        (query.state === undefined || row.state === query.state) &&
        (search === '' || textsIn(entry).some(text => text.toLowerCase().includes(search)))
      // Ends a page only before another matching entry, so that the page after the last one is never empty.
      if ((matches && found.length === limit) || looked === MAX_READ)
        return { entries: found, nextCursor: last === undefined ? null : cursors.encode(list, last) }
      looked++
      last = entry.id
      if (matches) found.push(row)
    }
  return { entries: found, nextCursor: null }
}

/** @throws DomainError `entry_not_found` */
export async function readEntry(reader: Reader, kind: RecordKind, id: string) {
  // Read first: if the entry changes between the two reads, saving this state is refused.
  const revision = await readRevisionNumber(reader, kind, id)
  const entry = await requireEntry(reader, kind, id)
  return { ...presentRow(kind, entry, reader.now()), kind, revision, entry, schema: entryJsonSchema(kind) }
}

/** @throws DomainError `entry_not_found` */
export async function requireEntry(reader: Reader, kind: RecordKind, id: string): Promise<Entry> {
  const [entry] = await kindNamed(kind).read(reader, [id])
  if (!entry) throw new DomainError(catalogueProblems.entry_not_found)
  return entry
}

interface Scheduled {
  active?: boolean
  startsAt?: string | null
  endsAt?: string | null
}

/** `off` by its flag; otherwise by its start and end. */
function stateOf({ active = true, startsAt, endsAt }: Scheduled, now: Date): EntryState {
  if (!active) return 'off'
  const [start, end] = [instantOf(startsAt), instantOf(endsAt)]
  if (isWithin({ startsAt: start, endsAt: end }, now)) return 'live'
  return end !== null && end <= now ? 'over' : 'scheduled'
}

function presentRow(kind: RecordKind, entry: Entry, now: Date) {
  const { startsAt = null, endsAt = null }: Scheduled = entry
  const title = kindNamed(kind).titleOf(entry)
  return { id: entry.id, title, state: stateOf(entry, now), startsAt, endsAt }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
