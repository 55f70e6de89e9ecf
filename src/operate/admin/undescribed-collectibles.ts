import { and, asc, inArray, notExists, or, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

/** Collectibles that sets and products name but no pack contains. A file describes collectibles only in packs. */
export async function listUndescribed(reader: Reader): Promise<string[]> {
  const { collectibles, packItems, setItems, products } = reader.tables
  const inPack = reader
    .select({ one: sql`1` })
    .from(packItems)
    .where(sql`${packItems.collectibleId} = ${collectibles.id}`)
  const rows = await reader
    .select({ id: collectibles.id })
    .from(collectibles)
    .where(
      and(
        notExists(inPack),
        or(
          inArray(collectibles.id, reader.select({ id: setItems.collectibleId }).from(setItems)),
          inArray(collectibles.id, reader.select({ id: products.requiredCollectibleId }).from(products)),
        ),
      ),
    )
    .orderBy(asc(collectibles.id))
  return rows.map(row => row.id)
}
