/** Packs as anybody sees them, kept for all who ask until something of it changes. */
import type { Reader } from '../../db/index.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import { packsTag } from '../cache/tags.ts'
import { nextChange } from '../catalogue/availability.ts'
import { listPacks, nextExpiry, readPack } from './catalogue.ts'

export const PACKS_VIEW = 'packs'

export const viewPacks = (reader: Reader, cache: ResponseCache) =>
  cache.get(PACKS_VIEW, async () => ({
    expiresAt: await nextEnd(reader),
    value: await listPacks(reader),
    tags: [packsTag],
  }))

export const viewPack = (reader: Reader, cache: ResponseCache, packId: string) =>
  cache.get(`pack ${packId}`, async () => ({
    expiresAt: await nextEnd(reader),
    value: await readPack(reader, packId),
    tags: [packsTag],
  }))
viewPack.problems = ['pack_not_found'] as const

/** When a window opens or closes, or a hold gives back: sought before the rest is read, so that none slips through. */
async function nextEnd(reader: Reader): Promise<Date | null> {
  const now = reader.now()
  const [window, hold] = [await nextChange(reader, reader.tables.packs, now), await nextExpiry(reader, now)]
  return window && (!hold || window < hold) ? window : hold
}
