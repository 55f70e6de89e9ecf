/** Packs as anybody sees them, kept for all who ask: what expires by the clock alone shows within the age of a view. */
import type { Reader } from '../../db/index.ts'
import { packsTopic } from '../views/topics.ts'
import type { ViewCache } from '../views/view-cache.ts'
import { nextChange } from '../window.ts'
import { listPacks, readPack } from './catalogue.ts'

export const viewPacks = (reader: Reader, views: ViewCache) =>
  // The edge is sought first: one that passes meanwhile then ends the view at once.
  views.read('packs', async () => ({
    until: await nextChange(reader, reader.tables.packs, reader.now()),
    value: await listPacks(reader),
    topics: [packsTopic],
  }))

/** @throws DomainError `pack_not_found` */
export const viewPack = (reader: Reader, views: ViewCache, packId: string) =>
  views.read(`pack ${packId}`, async () => ({
    until: await nextChange(reader, reader.tables.packs, reader.now()),
    value: await readPack(reader, packId),
    topics: [packsTopic],
  }))
