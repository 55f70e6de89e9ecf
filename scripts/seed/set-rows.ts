/** The sets that the items of a seeded fan complete, as the end of a unit of work writes them. */
import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { sets as demoSets } from './demo-sets.ts'
import type { Recorder } from './event-rows.ts'
import type { Ledger } from './ledger-rows.ts'
import type { Rows } from './rows.ts'
import type { SeedSources } from './sources.ts'

export interface SeedSet {
  id: string
  points: number
  collectibleIds: string[]
}

/** The demonstration sets that are active, by id. */
export async function readDemoSets(reader: Reader): Promise<SeedSet[]> {
  const { sets, setItems } = reader.tables
  const ids = demoSets.map(({ id }) => id)
  const rows = await reader
    .select({ id: sets.id, points: sets.rewardPoints, collectibleId: setItems.collectibleId })
    .from(sets)
    .innerJoin(setItems, eq(setItems.setId, sets.id))
    .where(and(inArray(sets.id, ids), eq(sets.active, true)))
    .orderBy(asc(sets.id))
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, items]) => ({
    id,
    points: items[0]?.points ?? 0,
    collectibleIds: items.map(({ collectibleId }) => collectibleId),
  }))
}

interface Collector {
  userId: string
  /** The ids of the collectibles that the fan owns. */
  owned: Set<string>
  points: Ledger
  record: Recorder
  sources: SeedSources
}

export function addCompletedSets(
  rows: Rows,
  { userId, owned, points, record, sources }: Collector,
  sets: SeedSet[],
): void {
  const full = sets.filter(({ collectibleIds }) => collectibleIds.every(id => owned.has(id)))
  for (const set of full) {
    if (set.points > 0) points.book({ delta: set.points, reason: 'set', ref: set.id })
    const completion = { setId: set.id, points: set.points, rewardId: null }
    rows.setCompletions.push({ userId, ...completion, completedAt: sources.now() })
  }
  for (const { id, points } of full) record('set.completed', { setId: id, points, rewardId: null })
}
