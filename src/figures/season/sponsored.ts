/** Who sponsored an entry of the catalogue at a time: its history says it, so it can be counted again later. */
import { and, asc, inArray, like } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

const SPONSORED_KINDS = ['reward', 'quest', 'pack', 'product', 'match', 'question'] as const
export type SponsoredKind = (typeof SPONSORED_KINDS)[number]

/** Null: nobody. */
export type SponsorOf = (kind: SponsoredKind, id: string, at: Date) => string | null

export const noSponsor: SponsorOf = () => null

interface Since {
  at: Date
  sponsorId: string | null
}

/** An entry counts for a sponsor from the change that names the sponsor; before its first revision, as that one says. */
export async function readSponsorOf(reader: Reader): Promise<SponsorOf> {
  const { kind, entryId, revision, createdAt, entry } = reader.tables.catalogueRevisions
  // Most clubs have few sponsors, and those without any do not read their history.
  const { sponsors } = reader.tables
  if ((await reader.select({ id: sponsors.id }).from(sponsors).limit(1)).length === 0) return noSponsor
  const revisions = reader.tables.catalogueRevisions
  const isSponsored = inArray(kind, [...SPONSORED_KINDS])
  // A text that fans read cannot contain it: its quotation marks are escaped in JSON.
  const named = reader
    .select({ entryId })
    .from(revisions)
    .where(and(isSponsored, like(entry, '%"sponsorId":"%')))
  const rows = await reader
    .select({ kind, entryId, createdAt, entry })
    .from(revisions)
    .where(and(isSponsored, inArray(entryId, named)))
    .orderBy(asc(kind), asc(entryId), asc(revision))
  const histories = new Map<string, Since[]>()
  for (const row of rows)
    histories
      .getOrInsertComputed(`${row.kind} ${row.entryId}`, () => [])
      .push({ at: row.createdAt, sponsorId: sponsorIn(row.entry) })
  return (kind, id, at) => {
    const history = histories.get(`${kind} ${id}`) ?? []
    return (history.findLast(since => since.at <= at) ?? history[0])?.sponsorId ?? null
  }
}

function sponsorIn(entry: string): string | null {
  // Guarantee of the cast: the history has entries of kinds with this member.
  const { sponsorId = null } = JSON.parse(entry) as { sponsorId?: string | null }
  return sponsorId
}
