/** Sets, with the items that a fan owns now. A fan who owns all collectibles of a set completes it, once (`complete-sets.ts`). */
import { asc, eq } from 'drizzle-orm'
import { insertNewRows } from '../../../db/bulk.ts'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import type { Merge, Viewer } from '../../core/caller.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { packsTag, setsTag } from '../../platform/cache/tags.ts'
import { countsOfOwned } from '../packs/ownership.ts'
import { allCollectibles } from '../packs/packs.ts'

/** Active sets, and others that the fan has completed, by id. */
export async function listSets({ read, cache }: ReadSource, { userId }: Viewer) {
  const sets = await cache.get('sets', async () => ({
    value: await readSets(read),
    tags: [setsTag, packsTag],
  }))
  const [counts, completions] = await Promise.all([
    selectCounts(read, userId),
    selectCompletions(read, userId),
  ])
  const countOf = new Map(counts.map(({ collectibleId, count }) => [collectibleId, Number(count)]))
  const completedAt = new Map(completions.map(({ setId, completedAt }) => [setId, completedAt]))
  return {
    sets: sets
      .filter(({ id, active }) => active || completedAt.has(id))
      .map(({ id, name, reward, active, collectibles }) => {
        const items = collectibles.map(item => ({ ...item, count: countOf.get(item.id) ?? 0 }))
        return {
          id,
          name,
          reward,
          active,
          collectibles: items,
          owned: items.filter(({ count }) => count > 0).length,
          total: items.length,
          completedAt: completedAt.get(id)?.toISOString() ?? null,
        }
      }),
  }
}

async function readSets(reader: Reader) {
  const { sets, setItems } = reader.tables
  const item = allCollectibles(reader).as('item')
  const { id, name, description, imageUrl, rarity, translations } = item
  const rows = await reader.select().from(sets).orderBy(asc(sets.id))
  const items = await reader
    .select({ setId: setItems.setId, id, name, description, imageUrl, rarity, translations })
    .from(setItems)
    .innerJoin(item, eq(id, setItems.collectibleId))
    .orderBy(asc(setItems.setId), asc(setItems.position))
  const itemsOf = Map.groupBy(items, ({ setId }) => setId)
  return rows.map(row => {
    const { id, name, active, rewardPoints: points, rewardId } = presentTexts(row)
    const collectibles = (itemsOf.get(id) ?? []).map(({ setId: _, ...collectible }) => {
      const { id, name, imageUrl, rarity } = presentTexts(collectible)
      return { id, name, imageUrl, rarity }
    })
    return { id, name, reward: { points, rewardId }, active, collectibles }
  })
}

const selectCounts = prepared(countsOfOwned)

const selectCompletions = prepared((reader: Reader, userId: string) => {
  const { setId, completedAt } = reader.tables.setCompletions
  return reader
    .select({ setId, completedAt })
    .from(reader.tables.setCompletions)
    .where(eq(reader.tables.setCompletions.userId, userId))
})

/** The sets that a fan completed. */
export function exportCompletedSets(reader: Reader, userId: string) {
  const { setCompletions } = reader.tables
  const { setId, completedAt, points, rewardId } = setCompletions
  return reader
    .select({ setId, completedAt, points, rewardId })
    .from(setCompletions)
    .where(eq(setCompletions.userId, userId))
    .orderBy(asc(completedAt), asc(setId))
}

/** Copies completions without their rewards, which are in the ledger of the merged record. Returns the number of copies. */
export async function copyCompletions(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { setCompletions } = tx.tables
  const completed = await tx.select().from(setCompletions).where(eq(setCompletions.userId, fromId))
  const copies = completed.map(row => ({ ...row, userId: intoId, points: 0, rewardId: null }))
  return (await insertNewRows(tx, setCompletions, copies)).length
}
