/** The items after a merge: each is transferred, and its history shows the transfer. */
import { asc } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'
import { lockOwners } from './owners.ts'
import { isOwnedBy } from './ownership.ts'
import { transferItems } from './transfer-items.ts'

/** Items per statement: each takes several parameters, and PostgreSQL limits their number. */
const BATCH = 200

/** Requires that both fans are locked and that the merged fan has no open trades. Returns the number of items. */
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
    // No resting time, since the same person keeps the items. Null instead of a time: the clock of another instance may be
    // ahead.
    if (!(await transferItems(tx, transfers, { ref: 'merge', restedAt: null })))
      throw new Error('an item left a fan who was being merged')
  }
  return items.length
}
