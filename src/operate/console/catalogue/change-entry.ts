/** Changes of catalogue entries by the staff: compared first, then saved by the writes of the import. */
import type { Reader, Transaction } from '../../../../db/index.ts'
import type { EntryChange } from '../../../club/catalogue/entry.ts'
import { type Author, readRevision, readRevisionNumber } from '../../../club/catalogue/history.ts'
import { DomainError } from '../../../core/problems.ts'
import { refuseField, transportProblems } from '../../../core/transport-problems.ts'
import { parseRecord } from '../../../play/catalogue-file/check-record.ts'
import {
  type CatalogueRecord,
  kindNamed,
  planRecord,
  type RecordKind,
  writeRecord,
} from '../../../play/catalogue-file/kinds.ts'
import { requireEntry } from './entries.ts'

/** A person moves a kick-off on purpose, so it always counts, as with `force` of the import. */
const force = true

/** Compares a draft with the stored entry, and writes nothing. Errors point into the body. */
export async function planEntry(reader: Reader, kind: RecordKind, { entry }: { entry: unknown }) {
  const record = withinEntry(() => parseRecord(kind, entry))
  const revision = await readRevisionNumber(reader, kind, record.entry.id)
  const change = await withinEntry(() => planRecord(reader, record, { force }))
  return { outcome: change.outcome, revision, changes: changesIn(change) }
}

interface Save {
  entry: unknown
  /** Null: the entry is new. */
  revision: number | null
}

/**
 * Saves an entry that was edited at `revision`. @throws DomainError `revision_conflict` if somebody changed it since
 */
export async function saveEntry(
  tx: Transaction,
  { kind, entryId }: { kind: RecordKind; entryId: string },
  { entry, revision }: Save,
  author: Author,
) {
  const record = withinEntry(() => parseRecord(kind, entry))
  if (record.entry.id !== entryId) {
    const errors = [{ pointer: '/entry/id', message: `must be ${entryId}, and cannot change` }]
    throw new DomainError(transportProblems.validation_failed, { errors })
  }
  return write(tx, record, revision, author)
}

/** Switches an entry on or off. Fans keep their items and claims. */
export async function switchEntry(
  tx: Transaction,
  { kind, entryId }: { kind: RecordKind; entryId: string },
  { active, revision }: { active: boolean; revision: number },
  author: Author,
) {
  if (kindNamed(kind).only !== undefined)
    refuseField({ pointer: '/active', message: 'must stay: the only entry of a kind is never off' })
  const entry = { ...(await requireEntry(tx, kind, entryId)), active }
  // Guarantee of the cast: the entry was read as one of the kind.
  return write(tx, { kind, entry } as CatalogueRecord, revision, author)
}

/** Restores the entry to a revision. This is a change like any other, so the current rules apply. */
export async function restoreEntry(
  tx: Transaction,
  { kind, entryId }: { kind: RecordKind; entryId: string },
  { restore, revision }: { restore: number; revision: number },
  author: Author,
) {
  const { entry } = await readRevision(tx, kind, entryId, restore)
  return write(
    tx,
    withinEntry(() => parseRecord(kind, JSON.parse(entry))),
    revision,
    author,
  )
}

interface EntryName {
  kind: RecordKind
  entryId: string
}

/** Whether saving an entry, which may be invalid, gives value. */
export async function savesValue(reader: Reader, { kind, entryId }: EntryName, entry: object) {
  const { changesValue, givesValue, read } = kindNamed(kind)
  if (!changesValue) return givesValue
  const [before = {}] = await read(reader, [entryId])
  return changesValue(before, entry)
}

/** As `savesValue`, for a revision. */
export async function restoresValue(reader: Reader, name: EntryName, revision: number) {
  const { changesValue, givesValue } = kindNamed(name.kind)
  if (!changesValue) return givesValue
  const { entry } = await readRevision(reader, name.kind, name.entryId, revision)
  return savesValue(reader, name, JSON.parse(entry))
}

async function write(tx: Transaction, record: CatalogueRecord, expected: number | null, author: Author) {
  const { outcome } = await withinEntry(() => writeRecord(tx, record, { force, author, expected }))
  return { outcome, revision: await readRevisionNumber(tx, record.kind, record.entry.id) }
}

/** The changes by member. In an entry, a missing value and null are equal. */
export const changesIn = ({ members }: Pick<EntryChange, 'members'>) =>
  Object.entries(members).map(([member, [from, to]]) => ({
    member,
    ...(from == null ? {} : { from }),
    ...(to == null ? {} : { to }),
  }))

/** Makes pointers of errors start at the body, where the entry is a member. */
export function withinEntry<Result>(work: () => Result): Result {
  try {
    const result = work()
    // Guarantee of the cast: `refer` always throws.
    return result instanceof Promise ? (result.catch(refer) as Result) : result
  } catch (error) {
    return refer(error)
  }
}

function refer(error: unknown): never {
  const { errors } = error instanceof DomainError ? error.explanation : {}
  if (!(error instanceof DomainError) || !errors) throw error
  const within = errors.map(fault =>
    'pointer' in fault ? { ...fault, pointer: `/entry${fault.pointer}` } : fault,
  )
  throw new DomainError(error.type, { ...error.explanation, errors: within })
}
