/** Imports collectibles. They are never deleted, since fans may own them. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { type EntryFault, refuseEntry } from '../../club/catalogue/entry.ts'
import { columnsIn, isSame, statedTexts, type Text } from '../../club/catalogue/texts.ts'
import type { PackItemEntry } from './entry-schema.ts'

type CollectibleRow = Tables['collectibles']['$inferSelect']

/** The description of a collectible, with the member names of a catalogue entry. */
type Description = Pick<CollectibleRow, 'imageUrl' | 'rarity'> & { name: Text; description: Text }

/** Undefined if the entry has only id and weight. */
export function descriptionOf(entry: PackItemEntry): Description | undefined {
  const { name, description, imageUrl, rarity } = entry
  if (name === undefined || description === undefined || rarity === undefined) return undefined
  return { name, description, imageUrl: imageUrl ?? null, rarity }
}

/**
 * The descriptions after the import, by id. @throws DomainError `catalogue_conflict` for a collectible without a
 * description, and for a changed rarity, because the frozen odds of purchases depend on it.
 */
export async function planCollectibles(
  reader: Reader,
  items: PackItemEntry[],
): Promise<Map<string, Description>> {
  const { collectibles } = reader.tables
  const ids = items.map(({ id }) => id)
  const rows = await reader.select().from(collectibles).where(inArray(collectibles.id, ids))
  const rowById = new Map(rows.map(row => [row.id, row]))
  const faults: EntryFault[] = []
  const planned = new Map<string, Description>()
  for (const [index, item] of items.entries()) {
    const row = rowById.get(item.id)
    const described = descriptionOf(item) ?? (row && statedTexts(row))
    if (!described) {
      const message = 'is described nowhere: give it a name, a description and a rarity'
      faults.push({ pointer: `/items/${index}/id`, message })
    } else if (row && row.rarity !== described.rarity) {
      const message = `must stay ${row.rarity}: purchases have promised it as that; give another rarity a new id`
      faults.push({ pointer: `/items/${index}/rarity`, message })
    } else {
      planned.set(item.id, described)
    }
  }
  refuseEntry(...faults)
  return planned
}

/**
 * Writes in the order of the ids, like openings, which prevents deadlocks. Returns the ids with a changed description.
 */
export async function upsertCollectibles(tx: Transaction, items: PackItemEntry[]): Promise<string[]> {
  const redescribed: string[] = []
  const { collectibles } = tx.tables
  const now = tx.now()
  for (const item of items.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const described = descriptionOf(item)
    if (!described) continue
    const { rarity, ...columns } = columnsIn(collectibles, described)
    const [made] = await tx
      .insert(collectibles)
      .values({ id: item.id, rarity, ...columns, minted: 0, createdAt: now, updatedAt: now })
      .onConflictDoNothing()
      .returning()
    if (made) continue
    const [row] = await tx.select().from(collectibles).where(eq(collectibles.id, item.id))
    if (row && row.rarity === rarity && isDescribed(row, described)) continue
    const [changed] = await tx
      .update(collectibles)
      .set({ ...columns, updatedAt: now })
      .where(and(eq(collectibles.id, item.id), eq(collectibles.rarity, rarity)))
      .returning()
    // A concurrent import created it with another rarity, for which `planCollectibles` throws.
    if (!changed) await planCollectibles(tx, items)
    redescribed.push(item.id)
  }
  return redescribed
}

const isDescribed = (row: CollectibleRow, described: Description) => {
  const { name, description, imageUrl, rarity } = statedTexts(row)
  return isSame({ name, description, imageUrl, rarity }, described)
}
