/** The items after a merge: each changes hands, which its history shows. */
import { asc } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'
import { lockOwners } from './owners.ts'
import { isOwnedBy } from './ownership.ts'
import { transferItems } from './transfer-items.ts'

/** Items of one statement: each takes several parameters, whose number PostgreSQL limits. */
const BATCH = 200

/** The records of both fans are locked, and the open trades of the merged one have ended. Returns the number of items. */
export async function moveItems(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { userItems } = tx.tables
  const { collectibleId, serialNumber } = userItems
  const items = await tx
    .select({ collectibleId, serialNumber })
    .from(userItems)
    .where(isOwnedBy(tx, fromId))
    .orderBy(asc(collectibleId), asc(serialNumber))
  for (let start = 0; start < items.length; start += BATCH) {
    const some = items.slice(start, start + BATCH)
    await lockOwners(tx, some)
    const transfers = some.map(item => ({ ...item, fromId, toId: intoId }))
    // The same person has them as before. Not by time: the clock of the instance that last moved one may be ahead.
    if (!(await transferItems(tx, transfers, { ref: 'merge', restedAt: null })))
      throw new Error('an item left a fan who was being merged')
  }
  return items.length
}
