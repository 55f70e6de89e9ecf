/**
 * Versions of the catalogue entries that processes keep in memory. A unit of work that changes such entries writes a new version,
 * so that readers of the version see the change at the commit, in every process, without an invalidation.
 */
import { eq, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'

/** All entries that listen to events. */
const KIND = 'events'

export interface CatalogueVersion {
  /** Random: unique also among databases and their copies. */
  version: string
  /** 1, 2, 3 …: orders the versions of a database. */
  revision: number
  /** From when on events are written in short: see `formAt`. Null: not yet known. */
  foldsFrom: Date | null
}

/**
 * How events are written: in short, they contain the events `points.changed` of their entries, short decisions and a short digest. Versions
 * that may serve until the release has ended cannot read that.
 */
export const formAt = (version: Pick<CatalogueVersion, 'foldsFrom'> | null | undefined, now: Date) =>
  version?.foldsFrom && version.foldsFrom <= now ? ('short' as const) : ('long' as const)

/** Writes a new version and returns its revision. Its row lock serializes changes until the unit of work ends. */
export async function bumpVersion(tx: Transaction): Promise<number> {
  const { catalogueVersions: versions } = tx.tables
  const version = tx.newId()
  const [bumped] = await tx
    .insert(versions)
    .values({ kind: KIND, version, revision: 1, foldsFrom: tx.now() })
    .onConflictDoUpdate({ target: versions.kind, set: { version, revision: sql`${versions.revision} + 1` } })
    .returning()
  if (!bumped) throw new Error('an upsert returned no row')
  return bumped.revision
}

/** Null before the first change. */
export const readVersion = async (reader: Reader): Promise<CatalogueVersion | null> =>
  (await findVersion(reader)) ?? null

const findVersion = preparedRow((reader: Reader) => {
  const { catalogueVersions: versions } = reader.tables
  return reader
    .select({ version: versions.version, revision: versions.revision, foldsFrom: versions.foldsFrom })
    .from(versions)
    .where(eq(versions.kind, KIND))
})

/** Query for the current revision. No row before the first change. */
export const currentRevision = ({ tables: { catalogueVersions: versions } }: Pick<Reader, 'tables'>) =>
  sql`select ${versions.revision} from ${versions} where ${versions.kind} = ${sql.raw(`'${KIND}'`)}`
