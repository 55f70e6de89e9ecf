/** What a sponsor supports: the member of entries of other kinds, which names one. */
import { eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { Slug } from '../../core/schemas.ts'
import type { EntryFault } from '../catalogue/entry.ts'
import { Maybe } from '../catalogue/entry-schema.ts'
import type { IsStated } from '../catalogue/kind.ts'

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
