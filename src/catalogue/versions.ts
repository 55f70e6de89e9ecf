/**
 * Versions of the catalogue entries that processes keep in memory. A unit of work that changes such entries writes a new version,
 * so that readers of the version see the change at the commit, in every process, without an invalidation.
 */
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'

/** `events`: all entries that listen to events. */
type VersionedKind = 'events'

export interface CatalogueVersion {
  /** Random: unique also among databases and their copies. */
  version: string
  /** 1, 2, 3 …: orders the versions of a database. */
  revision: number
}

/** Writes a new version and returns its revision. Its row lock serializes the changes of a kind until the unit of work ends. */
export async function bumpVersion(tx: Transaction, kind: VersionedKind): Promise<number> {
  const { catalogueVersions: versions } = tx.tables
  const version = tx.newId()
  const [bumped] = await tx
    .insert(versions)
    .values({ kind, version, revision: 1 })
    .onConflictDoUpdate({ target: versions.kind, set: { version, revision: sql`${versions.revision} + 1` } })
    .returning()
  if (!bumped) throw new Error('an upsert returned no row')
  return bumped.revision
}

/** Null before the first change. */
export async function readVersion(reader: Reader, kind: VersionedKind): Promise<CatalogueVersion | null> {
  const [row] = await selectVersion(reader, kind)
  return row ?? null
}

const selectVersion = prepared((reader: Reader, kind: VersionedKind) => {
  const { catalogueVersions: versions } = reader.tables
  return reader
    .select({ version: versions.version, revision: versions.revision })
    .from(versions)
    .where(eq(versions.kind, kind))
})

/** SQL for the current revision of a kind, as a part of a larger statement; null before the first change. */
export function currentRevision({ tables }: Pick<Reader, 'tables'>, kind: VersionedKind): SQL<number | null> {
  const { catalogueVersions: versions } = tables
  return sql<
    number | null
  >`(select ${versions.revision} from ${versions} where ${versions.kind} = ${kind})`.mapWith(
    versions.revision,
  )
}

/** SQL for the current version of a kind. */
export function currentVersion({ tables }: Pick<Reader, 'tables'>, kind: VersionedKind): SQL<string | null> {
  const { catalogueVersions: versions } = tables
  return sql<string | null>`(select ${versions.version} from ${versions} where ${versions.kind} = ${kind})`
}
