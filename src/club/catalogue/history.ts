/** The history of catalogue entries: each change appends the whole entry, in its unit of work. Triggers refuse UPDATE and DELETE. */
import { and, desc, eq, lt, max } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import type { KindName } from './kinds.ts'
import { catalogueProblems } from './problems.ts'

export const REVISION_SOURCES = ['before', 'import', 'console', 'script'] as const
export type RevisionSource = (typeof REVISION_SOURCES)[number]

/** Who changes entries. */
export interface Author {
  source: Exclude<RevisionSource, 'before'>
  /** Of the club. */
  staff?: { id: string; name: string }
  reason?: string
}

interface Recorded {
  kind: KindName
  id: string
  /** The JSON of the entry before and after the change. */
  before: string | undefined
  after: string
  author?: Author
}

/** Other changes of the same entry that a unit of work without its row lock can meet: of collectibles in several packs. */
const MAX_ATTEMPTS = 20

/** Appends the revision after the newest one, and returns its number. An older entry gets revision 0, its state before. */
export async function recordRevision(tx: Transaction, recorded: Recorded): Promise<number> {
  const { catalogueRevisions: revisions } = tx.tables
  const { kind, id: entryId, before, after, author = { source: 'script' } } = recorded
  const { source, staff, reason = null } = author
  const nobody = { staffId: null, staffName: null, reason: null }
  const key = { kind, entryId, createdAt: tx.now() }
  const changed = { entry: after, source, staffId: staff?.id ?? null, staffName: staff?.name ?? null, reason }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const newest = await findNewest(tx, kind, entryId)
    if (newest === null && before !== undefined)
      await tx
        .insert(revisions)
        .values({ ...key, revision: 0, entry: before, source: 'before', ...nobody })
        .onConflictDoNothing()
    const revision = (newest ?? 0) + 1
    const [written] = await tx
      .insert(revisions)
      .values({ ...key, revision, ...changed })
      .onConflictDoNothing()
      .returning({ revision: revisions.revision })
    if (written) return written.revision
  }
  throw new Error(`${kind} ${entryId} changed too often meanwhile`)
}

/** Null without a history. */
async function findNewest(reader: Reader, kind: KindName, id: string): Promise<number | null> {
  const { catalogueRevisions: revisions } = reader.tables
  const [row] = await reader
    .select({ revision: max(revisions.revision) })
    .from(revisions)
    .where(ofEntry(reader, kind, id))
  return row?.revision ?? null
}

/** The number that a change states as the one it has seen. 0 without a history. */
export const readRevisionNumber = async (reader: Reader, kind: KindName, id: string): Promise<number> =>
  (await findNewest(reader, kind, id)) ?? 0

/**
 * Refuses a change of another state than the author has seen, after it was written under the lock of the entry. `expected`
 * is null for a new entry and undefined for any. @throws DomainError `revision_conflict`
 */
export function requireExpected(
  { isCreated, revision }: { isCreated: boolean; revision: number | undefined },
  expected: number | null | undefined,
): void {
  const isSeen =
    expected === undefined ||
    (expected === null ? isCreated : revision === undefined || revision === expected + 1)
  if (isSeen) return
  const detail = expected === null ? 'An entry with this id exists.' : 'Somebody changed the entry meanwhile.'
  throw new DomainError(catalogueProblems.revision_conflict, { detail })
}

/** Newest first, without the entries. */
export function listRevisions(
  reader: Reader,
  { kind, id, before, limit }: { kind: KindName; id: string; before?: number; limit: number },
) {
  const { catalogueRevisions: revisions } = reader.tables
  const { entry: _, ...columns } = { ...revisionColumns(reader) }
  return reader
    .select(columns)
    .from(revisions)
    .where(and(ofEntry(reader, kind, id), before === undefined ? undefined : lt(revisions.revision, before)))
    .orderBy(desc(revisions.revision))
    .limit(limit)
}

/** @throws DomainError `revision_not_found` */
export async function readRevision(reader: Reader, kind: KindName, id: string, revision: number) {
  const { catalogueRevisions: revisions } = reader.tables
  const [row] = await reader
    .select(revisionColumns(reader))
    .from(revisions)
    .where(and(ofEntry(reader, kind, id), eq(revisions.revision, revision)))
  if (!row) throw new DomainError(catalogueProblems.revision_not_found)
  return row
}

function revisionColumns({ tables: { catalogueRevisions } }: Pick<Reader, 'tables'>) {
  const { revision, entry, source, staffId, staffName, reason, createdAt } = catalogueRevisions
  return { revision, entry, source, staffId, staffName, reason, createdAt }
}

function ofEntry({ tables: { catalogueRevisions } }: Pick<Reader, 'tables'>, kind: KindName, id: string) {
  return and(eq(catalogueRevisions.kind, kind), eq(catalogueRevisions.entryId, id))
}
