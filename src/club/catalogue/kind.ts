/**
 * Kinds of catalogue entries. A room declares one: its words, its schema, and how entries are compared, written and read. Import,
 * export, history, the console and the documentation follow from the declaration.
 */
import { eq } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import type { TObject } from '../../core/typebox.ts'
import { commonFaults, deactivateEntry, type EntryChange, type EntryFault, type EntryTable } from './entry.ts'
import { type Author, recordRevision, requireExpected } from './history.ts'
import { defaultOf, type Text } from './texts.ts'

/** Whether the same import writes an entry, or a collectible, first. */
export type WrittenBefore = (kind: string, id: string) => boolean

/** As `WrittenBefore`, first or later. */
export type IsStated = WrittenBefore

export interface ImportOptions {
  isWritten?: WrittenBefore
  isStated?: IsStated
  /** Whether to change members that a newer state otherwise protects. */
  force?: boolean
}

export interface WriteOptions extends ImportOptions {
  /** Who changes it, in the history. Default: a script. */
  author?: Author
  /** The revision that the caller has read, 0 without a history, null for a new entry. Undefined: any. */
  expected?: number | null
}

export interface Declaration<Entry, Name extends string, List extends string> {
  /** Names an entry in files, in the history and in the console. */
  kind: Name
  /** Names the list in files and in the API, and is the tag of its cached responses. */
  list: List
  /** What an entry is, for the staff and the documentation. */
  about: string
  /** The schema of an entry in a file. The form of the console is generated from it. */
  schema: TObject & { static: Entry }
  /** Whether entries give points, cash or goods, so that two people are needed where the club asks for them. */
  givesValue: boolean
  table(tables: Tables): EntryTable
  /** The rules that the schema cannot express, in addition to `commonFaults`. */
  faults?(entry: Entry): EntryFault[]
  /** How valid entries of one file contradict each other, such as two of one time. `entry` is one of them. */
  clashesOf?(entries: Entry[]): (EntryFault & { entry: Entry })[]
  /** Default: `title` or `name` in the default language. */
  titleOf?(entry: Entry): string
  /** Members that forms do not change once the entry exists. `id` is always one. */
  fixed?: readonly (keyof Entry & string)[]
  /** Ids of the collectibles that the entry describes. */
  collectiblesOf?(entry: Entry): string[]
  /** The order that an import needs. Default: by id. */
  inOrder?(entries: Entry[]): Entry[]
  /** What `upsert` would change. @throws DomainError `catalogue_conflict` */
  plan(reader: Reader, entry: Entry, options?: ImportOptions): Promise<EntryChange>
  /** Locks the row of the entry before it changes anything. @throws DomainError `catalogue_conflict` */
  upsert(tx: Transaction, entry: Entry, options?: ImportOptions): Promise<EntryChange>
  /** The stored entries with these ids, in any order, with all members, as `upsert` takes them. */
  read(reader: Reader, ids: string[]): Promise<Entry[]>
  /** False: it was not active. Default: `deactivateEntry`. */
  deactivate?(tx: Transaction, id: string): Promise<boolean>
}

/** How the entries of one kind are imported, exported, shown and changed. */
export interface EntryKind<Entry, Name extends string = string, List extends string = string>
  extends Omit<Required<Declaration<Entry, Name, List>>, 'deactivate' | 'upsert'> {
  /** Writes the entry, and a revision if it changes. @throws DomainError `catalogue_conflict`, `revision_conflict` */
  upsert(tx: Transaction, entry: Entry, options?: WriteOptions): Promise<EntryChange>
  /** @throws DomainError `revision_conflict` */
  deactivate(tx: Transaction, id: string, options?: Omit<WriteOptions, keyof ImportOptions>): Promise<void>
  listActive(reader: Reader): Promise<string[]>
  /** For verbs that change a part of an entry by statements of their own: writes a revision if `work` changes the entry. */
  recordChange<Result>(tx: Transaction, id: string, work: () => Promise<Result>): Promise<Result>
}

export function declareKind<
  Entry extends { id: string },
  const Name extends string,
  const List extends string,
>(declared: Declaration<Entry, Name, List>): EntryKind<Entry, Name, List> {
  const { kind, list, schema, table, read } = declared
  const textOf = (entry: Entry | undefined) => entry && JSON.stringify(entry)

  async function record(tx: Transaction, id: string, before: Entry | undefined, author?: Author) {
    const [after] = await read(tx, [id])
    if (!after) throw new Error(`${kind} ${id} was written and is not stored`)
    const texts = { before: textOf(before), after: JSON.stringify(after) }
    return recordRevision(tx, { kind, id, ...texts, author })
  }

  function titleOf(entry: { id: string; title?: Text; name?: Text }): string {
    const { id, name = id, title = name } = entry
    return defaultOf(title)
  }

  return {
    titleOf,
    fixed: [],
    clashesOf: () => [],
    collectiblesOf: () => [],
    inOrder: entries => entries,
    ...declared,
    faults: entry => [...commonFaults(schema, entry), ...(declared.faults?.(entry) ?? [])],
    async upsert(tx, entry, { author, expected, ...options } = {}) {
      // For the history of an entry that has none yet.
      const [before] = await read(tx, [entry.id])
      const { others = [], ...change } = await declared.upsert(tx, entry, options)
      const isCreated = change.outcome === 'created'
      const isChanged = change.outcome !== 'unchanged'
      const revision = isChanged ? await record(tx, entry.id, before, author) : undefined
      requireExpected({ isCreated, revision }, expected)
      for (const id of others) await record(tx, id, undefined, author)
      return change
    },
    async deactivate(tx, id, { author, expected } = {}) {
      const [before] = await read(tx, [id])
      const isChanged = await (declared.deactivate?.(tx, id) ??
        deactivateEntry(tx, table(tx.tables), list, id))
      if (!isChanged) return
      const revision = await record(tx, id, before, author)
      requireExpected({ isCreated: false, revision }, expected)
    },
    async recordChange(tx, id, work) {
      const [before] = await read(tx, [id])
      const result = await work()
      const [after] = await read(tx, [id])
      if (after && textOf(after) !== textOf(before)) await record(tx, id, before)
      return result
    },
    async listActive(reader) {
      const entries = table(reader.tables)
      const rows = await reader.select({ id: entries.id }).from(entries).where(eq(entries.active, true))
      return rows.map(row => row.id)
    },
  }
}
