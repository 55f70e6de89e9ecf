/** Kinds of catalogue entries. A room declares how its entries are compared, written and read; here each change gets its revision. */
import { eq } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import type { EntryChange, EntryFault, EntryTable } from './entry.ts'
import { type Author, recordRevision, requireExpected } from './history.ts'
import type { KindName } from './kinds.ts'

/** Whether the same import writes an entry first. */
export type WrittenBefore = (kind: KindName | 'collectible', id: string) => boolean

export interface ImportOptions {
  isWritten?: WrittenBefore
  /** Whether to change what a newer state otherwise keeps. */
  force?: boolean
}

export interface WriteOptions extends ImportOptions {
  /** Who changes it, in the history. Default: a script. */
  author?: Author
  /** The revision that the caller has read, 0 without a history, null for a new entry. Undefined: any. */
  expected?: number | null
}

interface Declaration<Entry> {
  kind: KindName
  table(tables: Tables): EntryTable
  /** The rules that the schema cannot express. */
  faults(entry: Entry): EntryFault[]
  /** What `upsert` would change. @throws DomainError `catalogue_conflict` */
  plan(reader: Reader, entry: Entry, options?: ImportOptions): Promise<EntryChange>
  /** Locks the row of the entry before it changes anything. @throws DomainError `catalogue_conflict` */
  upsert(tx: Transaction, entry: Entry, options?: ImportOptions): Promise<EntryChange>
  /** The stored entries with these ids, in any order, with all members, as `upsert` takes them. */
  read(reader: Reader, ids: string[]): Promise<Entry[]>
  /** False: it was not active. */
  deactivate(tx: Transaction, id: string): Promise<boolean>
}

/** How the entries of one kind are imported, exported and changed. */
export interface EntryKind<Entry> extends Omit<Declaration<Entry>, 'upsert' | 'deactivate'> {
  /** Writes the entry, and a revision if it changes. @throws DomainError `catalogue_conflict`, `revision_conflict` */
  upsert(tx: Transaction, entry: Entry, options?: WriteOptions): Promise<EntryChange>
  /** @throws DomainError `revision_conflict` */
  deactivate(tx: Transaction, id: string, options?: Omit<WriteOptions, keyof ImportOptions>): Promise<void>
  listActive(reader: Reader): Promise<string[]>
  /** For verbs that change a part of an entry by statements of their own: writes a revision if `work` changes the entry. */
  recordChange<Result>(tx: Transaction, id: string, work: () => Promise<Result>): Promise<Result>
}

export function declareKind<Entry extends { id: string }>(declared: Declaration<Entry>): EntryKind<Entry> {
  const { kind, table, read } = declared
  const textOf = (entry: Entry | undefined) => entry && JSON.stringify(entry)

  async function record(tx: Transaction, id: string, before: Entry | undefined, author?: Author) {
    const [after] = await read(tx, [id])
    if (!after) throw new Error(`${kind} ${id} was written and is not stored`)
    const texts = { before: textOf(before), after: JSON.stringify(after) }
    return recordRevision(tx, { kind, id, ...texts, author })
  }

  return {
    ...declared,
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
      if (!(await declared.deactivate(tx, id))) return
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
