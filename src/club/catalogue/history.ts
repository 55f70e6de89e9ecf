/** The history of catalogue entries: each change appends the whole entry, in its unit of work. Triggers refuse UPDATE and DELETE. */
import { and, asc, count, desc, eq, gt, like, lt, lte, max, sql } from 'drizzle-orm'
import type { Deferred, Reader, Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { catalogueProblems } from './problems.ts'

export const REVISION_SOURCES = ['before', 'import', 'console', 'script'] as const
export type RevisionSource = (typeof REVISION_SOURCES)[number]

/** Who changes entries. */
export interface Author {
  source: Exclude<RevisionSource, 'before'>
  /** The member of the club's staff. */
  staff?: { id: string; name: string }
  reason?: string
}

interface Recorded {
  kind: string
  id: string
  /** The JSON of the entry before and after the change. */
  before: string | undefined
  after: string
  author?: Author
}

/**
 * Concurrent changes of the same entry by units of work without its row lock, which happen for collectibles
 * in several packs.
 */
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
    if (newest === null && before !== undefined) {
      const added = await tx
        .insert(revisions)
        .values({ ...key, revision: 0, entry: before, source: 'before', ...nobody })
        .onConflictDoNothing()
        .returning({ revision: revisions.revision })
      noteAdded(tx, kind, added.length, nameOfRevision(entryId, 0))
    }
    const revision = (newest ?? 0) + 1
    const [written] = await tx
      .insert(revisions)
      .values({ ...key, revision, ...changed })
      .onConflictDoNothing()
      .returning({ revision: revisions.revision })
    if (!written) continue
    noteAdded(tx, kind, 1, nameOfRevision(entryId, revision))
    return written.revision
  }
  throw new Error(`${kind} ${entryId} changed too often meanwhile`)
}

/**
 * `catalogue_versions` contains the number of revisions of each kind, and the last one, so that a
 * verification notices removed revisions.
 */
const HEAD = 'history:'

interface Added {
  rows: number
  /** The entry and the number of the last one. */
  last: string
}

function noteAdded(tx: Transaction, kind: string, rows: number, last: string): void {
  const added = tx.deferred(addedRevisions)
  added.set(kind, { rows: (added.get(kind)?.rows ?? 0) + rows, last })
}

const addedRevisions: Deferred<Map<string, Added>> = {
  order: 5,
  start: () => new Map(),
  async write(tx, added) {
    // One order for all writers prevents deadlocks.
    for (const [kind, some] of [...added].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      await addToHead(tx, kind, some)
    return []
  },
}

/** A kind whose history is older than its head begins with the number of its rows. */
async function addToHead(tx: Transaction, kind: string, { rows, last }: Added): Promise<void> {
  const { catalogueVersions: versions, catalogueRevisions: revisions } = tx.tables
  const isHead = eq(versions.kind, HEAD + kind)
  const change = { version: last, revision: sql`${versions.revision} + ${rows}` }
  const changed = await tx.update(versions).set(change).where(isHead).returning({ kind: versions.kind })
  if (changed.length > 0) return
  const [counted] = await tx.select({ rows: count() }).from(revisions).where(eq(revisions.kind, kind))
  await tx
    .insert(versions)
    .values({ kind: HEAD + kind, version: last, revision: counted?.rows ?? rows })
    .onConflictDoUpdate({ target: versions.kind, set: change })
}

export const nameOfRevision = (entryId: string, revision: number): string => `${entryId} ${revision}`

/** The number of revisions and the last one, of each kind that has a head. */
export async function readHeads(reader: Reader): Promise<{ kind: string; rows: number; last: string }[]> {
  const { catalogueVersions: versions } = reader.tables
  const rows = await reader
    .select()
    .from(versions)
    .where(like(versions.kind, `${HEAD}%`))
  return rows.map(({ kind, version, revision }) => {
    return { kind: kind.slice(HEAD.length), rows: revision, last: version }
  })
}

/** Null without a history. */
async function findNewest(reader: Reader, kind: string, id: string): Promise<number | null> {
  const { catalogueRevisions: revisions } = reader.tables
  const [row] = await reader
    .select({ revision: max(revisions.revision) })
    .from(revisions)
    .where(ofEntry(reader, kind, id))
  return row?.revision ?? null
}

/** The number that a change states as the one it has seen. 0 without a history. */
export const readRevisionNumber = async (reader: Reader, kind: string, id: string): Promise<number> =>
  (await findNewest(reader, kind, id)) ?? 0

/**
 * Refuses a change if the author has seen another state of the entry, after it was written under the lock of
 * the entry. `expected` is null for a new entry and undefined for any. @throws DomainError
 * `revision_conflict`
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

/** The entry as it was at a time, then after each later change. */
export async function readEntriesSince(
  reader: Reader,
  kind: string,
  id: string,
  since: Date,
): Promise<unknown[]> {
  const { catalogueRevisions: revisions } = reader.tables
  const { entry, revision, createdAt } = revisions
  const isOf = ofEntry(reader, kind, id)
  const [before] = await reader
    .select({ entry })
    .from(revisions)
    .where(and(isOf, lte(createdAt, since)))
    .orderBy(desc(revision))
    .limit(1)
  const later = await reader
    .select({ entry })
    .from(revisions)
    .where(and(isOf, gt(createdAt, since)))
    .orderBy(asc(revision))
  return [...(before ? [before] : []), ...later].map(row => JSON.parse(row.entry))
}

/** Newest first, without the entries. */
export function listRevisions(
  reader: Reader,
  { kind, id, before, limit }: { kind: string; id: string; before?: number; limit: number },
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
export async function readRevision(reader: Reader, kind: string, id: string, revision: number) {
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

function ofEntry({ tables: { catalogueRevisions } }: Pick<Reader, 'tables'>, kind: string, id: string) {
  return and(eq(catalogueRevisions.kind, kind), eq(catalogueRevisions.entryId, id))
}
