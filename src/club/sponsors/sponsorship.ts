/** What a sponsor supports: the member of entries of other kinds, which names one. */
import { and, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { Nullable, Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import type { EntryFault } from '../catalogue/entry.ts'
import { Maybe } from '../catalogue/entry-schema.ts'
import type { IsStated } from '../catalogue/kind.ts'
import { presentTexts } from '../catalogue/texts.ts'

export const SponsorId = Maybe(
  Slug('Slug of the sponsor who supports it. What fans do with it counts for the sponsor from then on.'),
)

/**
 * As fans see it: the id alone, so that a change of the sponsor leaves cached responses about what it supports as they are. One that is
 * switched off is not in the list of sponsors, so apps show nothing of it.
 */
export const ShownSponsorId = Nullable(Type.String(), {
  description:
    'Slug of the sponsor who supports it, in `GET /api/sponsors`. Show nothing of one that is not listed there.',
})

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
