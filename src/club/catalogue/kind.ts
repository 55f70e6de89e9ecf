/**
 * Kinds of catalogue entries. A room declares one: its words, its schema, and how entries are compared, written and read. Import,
 * export, history, the console and the documentation follow from the declaration.
 */
import { eq } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import type { TObject } from '../../core/typebox.ts'
import {
  commonFaults,
  deactivateEntry,
  type EntryChange,
  type EntryFault,
  type EntryTable,
  isSwitched,
  refuseEntry,
} from './entry.ts'
import { type Author, recordRevision, requireExpected } from './history.ts'
import { defaultOf, type Text } from './texts.ts'

/** The names of lists of entries, which are those of their tables. */
export type EntryList = {
  [Name in keyof Tables]: Tables[Name] extends EntryTable ? Name : never
}[keyof Tables]

/** Whether the same import writes an entry, or a collectible, first. */
export type WrittenBefore = (list: EntryList | 'collectibles', id: string) => boolean

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

export interface Overridden {
  member: string
  /** The variable of the environment. */
  by: string
  value: unknown
}

/** Units of an entry. */
export interface Inventory {
  /** Taken ones included. Null: no limit. */
  total: number | null
  /** Units that fans have claimed or bought. */
  taken: number
}

/** What names an entry in a list. */
export interface Description {
  title: string
  pictures: string[]
}

export interface Declaration<Entry, Name extends string, List extends EntryList> {
  /** Names an entry in files, in the history and in the console. */
  kind: Name
  /** Names the list in files and in the API, and is the tag of its cached responses. */
  list: List
  /** The id of the only entry, which always exists and is never off. In a file it is an object without an id, and no list. */
  only?: string
  /** What an entry is, for the staff and the documentation. */
  about: string
  /** The schema of an entry in a file. The form of the console is generated from it. */
  schema: TObject & { static: Entry }
  /** Whether entries give points, cash or goods, so that two people are needed where the club asks for them. */
  givesValue: boolean
  /** Whether a change gives value. The entries may be invalid. Default: each change of a kind that gives value. */
  changesValue?(before: object, after: object): boolean
  /** Members whose values are set elsewhere, which wins. */
  overriddenIn?(reader: Reader): Overridden[]
  table(tables: Tables): EntryTable
  /** The rules that the schema cannot express, in addition to `commonFaults`. */
  faults?(entry: Entry): EntryFault[]
  /** How valid entries of one file contradict each other, such as two of one time. `entry` is one of them. */
  clashesOf?(entries: Entry[]): (EntryFault & { entry: Entry })[]
  /** Default: `title` or `name` in the default language. */
  titleOf?(entry: Entry): string
  /** Titles and pictures that are those of other entries, by id. Default: `titleOf`, and the pictures of the entry. */
  describe?(reader: Reader, entries: Entry[]): Promise<Map<string, Description>>
  /** Members that forms do not change once the entry exists. `id` is always one. */
  fixed?: readonly (keyof Entry & string)[]
  /** Ids of the collectibles that the entry describes. */
  collectiblesOf?(entry: Entry): string[]
  /** The order that an import needs. Default: by id. */
  inOrder?(entries: Entry[]): Entry[]
  /** What the entry names that is neither stored nor stated by the same import. Refused before `plan` and `upsert`. */
  references?(
    reader: Reader,
    entry: Entry,
    options: Required<Pick<ImportOptions, 'isWritten' | 'isStated'>>,
  ): Promise<EntryFault[]>
  /** What `upsert` would change. @throws DomainError `catalogue_conflict` */
  plan(reader: Reader, entry: Entry, options?: ImportOptions): Promise<EntryChange>
  /** Locks the row of the entry before it changes anything. The cached responses of the list are invalidated. @throws DomainError `catalogue_conflict` */
  upsert(tx: Transaction, entry: Entry, options?: ImportOptions): Promise<EntryChange>
  /** The stored entries with these ids, in any order, with all members, as `upsert` takes them. */
  read(reader: Reader, ids: string[]): Promise<Entry[]>
  /** How fans take units of an entry. Undefined: entries of the kind have no units. */
  takenBy?: 'claim' | 'sale'
  /** The units of the entries with these ids, of a kind with `takenBy`. */
  readInventory?(reader: Reader, ids: string[]): Promise<Map<string, Inventory>>
  /** False: it was not active. Default: `deactivateEntry`. */
  deactivate?(tx: Transaction, id: string): Promise<boolean>
}

/** How the entries of one kind are imported, exported, shown and changed. */
export interface EntryKind<Entry, Name extends string = string, List extends EntryList = EntryList>
  extends Omit<
      Required<Declaration<Entry, Name, List>>,
      'only' | 'changesValue' | 'deactivate' | 'references' | 'takenBy' | 'upsert'
    >,
    Pick<Declaration<Entry, Name, List>, 'only' | 'changesValue' | 'takenBy'> {
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
  const List extends EntryList,
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

  async function refuseUnknown(
    reader: Reader,
    entry: Entry,
    { isWritten = () => false, isStated = () => false }: ImportOptions = {},
  ) {
    refuseEntry(...((await declared.references?.(reader, entry, { isWritten, isStated })) ?? []))
  }

  return {
    titleOf,
    fixed: [],
    clashesOf: () => [],
    collectiblesOf: () => [],
    inOrder: entries => entries,
    overriddenIn: () => [],
    readInventory: async () => new Map(),
    describe: async () => new Map(),
    ...declared,
    faults: entry => [...commonFaults(schema, entry), ...(declared.faults?.(entry) ?? [])],
    async plan(reader, entry, options) {
      await refuseUnknown(reader, entry, options)
      return declared.plan(reader, entry, options)
    },
    async upsert(tx, entry, { author, expected, ...options } = {}) {
      await refuseUnknown(tx, entry, options)
      // For the history of an entry that has none yet.
      const [before] = await read(tx, [entry.id])
      const { others = [], ...change } = await declared.upsert(tx, entry, options)
      const isCreated = change.outcome === 'created'
      const isChanged = change.outcome !== 'unchanged'
      if (isChanged) tx.invalidate(list)
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
      if (!isSwitched(entries)) return []
      const rows = await reader.select({ id: entries.id }).from(entries).where(eq(entries.active, true))
      return rows.map(row => row.id)
    },
  }
}
