/** Packs, from the response cache: they are the same for every caller. */
import type { Reader } from '../../db/index.ts'
import type { ReadSource } from '../cache/public-reads.ts'
import { packsTag } from '../cache/tags.ts'
import { earliest, readNextChange } from '../catalogue/availability.ts'
import { listPacks, readNextExpiry, readPack } from './catalogue.ts'

export const getPacks = ({ read, cache }: ReadSource) =>
  cache.get('packs', async () => ({
    expiresAt: await findExpiry(read),
    value: await listPacks(read),
    tags: [packsTag],
  }))

export const getPack = ({ read, cache }: ReadSource, packId: string) =>
  cache.get(`pack ${packId}`, async () => ({
    expiresAt: await findExpiry(read),
    value: await readPack(read, packId),
    tags: [packsTag],
  }))
getPack.problems = ['pack_not_found'] as const

/** When availability changes or a hold expires next. Read before the packs, so that no change is missed in between. */
async function findExpiry(reader: Reader): Promise<Date | null> {
  const now = reader.now()
  return earliest([await readNextChange(reader, reader.tables.packs, now), await readNextExpiry(reader, now)])
}
