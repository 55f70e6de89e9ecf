/** What a sponsor supports: the member of entries of other kinds, which names one. */
import { and, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { Slug } from '../../core/schemas.ts'
import type { EntryFault } from '../catalogue/entry.ts'
import { Maybe } from '../catalogue/entry-schema.ts'
import type { IsStated } from '../catalogue/kind.ts'
import { presentTexts } from '../catalogue/texts.ts'

export const SponsorId = Maybe(
  Slug('Slug of the sponsor who supports it. What fans do with it counts for the sponsor from then on.'),
)

/**
 * Nothing refers to a sponsor by a key, so it may also be stated later in the same import. It may be inactive: what it supports
 * stays as it is when its contract ends.
 */
export async function findUnknownSponsor(
  reader: Reader,
  { sponsorId }: { sponsorId?: string | null | undefined },
  isStated: IsStated,
): Promise<EntryFault[]> {
  if (sponsorId == null || isStated('sponsors', sponsorId)) return []
  const { sponsors } = reader.tables
  const [known] = await reader.select({ id: sponsors.id }).from(sponsors).where(eq(sponsors.id, sponsorId))
  return known ? [] : [{ pointer: '/sponsorId', message: 'must be a sponsor of the catalogue' }]
}

/** As fans see it, in a unit of work, where responses of the cache cannot be read. Empty for one that is switched off. */
export const listActiveSponsor = async (reader: Reader, sponsorId: string) =>
  (await selectActive(reader, sponsorId)).map(presentTexts)

const selectActive = prepared((reader: Reader, sponsorId: string) => {
  const { sponsors } = reader.tables
  const { id, name, imageUrl, url, translations } = sponsors
  return reader
    .select({ id, name, imageUrl, url, translations })
    .from(sponsors)
    .where(and(eq(id, sponsorId), eq(sponsors.active, true)))
})
