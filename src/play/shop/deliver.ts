/** Delivers what is not shipped, with the payment of the order, and takes back what can be taken back. */

import { insertRows } from '../../../db/bulk.ts'
import type { Transaction } from '../../../db/index.ts'
import { giveCollectible } from '../packs/give-collectible.ts'
import { canGivePacks, givePacks, takeBackPack } from '../packs/give-packs.ts'
import { parseDelivers } from './delivers.ts'
import { type LineRow, type OrderRow, readUnits } from './order-rows.ts'
import { issueVouchers, voidVouchers } from './vouchers.ts'

type Wanted = Pick<LineRow, 'delivers' | 'quantity'>

/**
 * The id of a pack that cannot be given as often as the lines together want; null if all can. Locks their supplies, in one order for
 * all units of work.
 */
export async function findMissingPack(tx: Transaction, lines: Wanted[]): Promise<string | null> {
  const counts = new Map<string, number>()
  for (const { delivers, quantity } of lines) {
    const { packId } = parseDelivers(delivers)
    if (packId !== undefined) counts.set(packId, (counts.get(packId) ?? 0) + quantity)
  }
  for (const [packId, count] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    if (!(await canGivePacks(tx, packId, count))) return packId
  return null
}

/** The lines in the order of what they give: two units of work that give the same collectibles lock them in one order. */
export async function deliverLines(tx: Transaction, { userId }: OrderRow, lines: LineRow[]): Promise<void> {
  for (const line of lines.toSorted((a, b) => ((a.delivers ?? '') < (b.delivers ?? '') ? -1 : 1)))
    await deliverLine(tx, userId, line)
}

async function deliverLine(tx: Transaction, userId: string, line: LineRow): Promise<void> {
  const { orderId, number, quantity, kind, delivers } = line
  const { packId, collectibleId } = parseDelivers(delivers)
  if (kind === 'voucher') await issueVouchers(tx, line)
  for (let unit = 1; unit <= quantity && collectibleId !== undefined; unit++)
    await giveCollectible(tx, { userId, collectibleId, givenFor: `order:${orderId}:${number}:${unit}` })
  if (packId === undefined) return
  const purchases = await givePacks(tx, { packId, userId, count: quantity })
  const units = purchases.map((packPurchaseId, index) => ({
    orderId,
    line: number,
    unit: index + 1,
    packPurchaseId,
  }))
  await insertRows(tx, tx.tables.orderUnits, units)
}

/**
 * Takes back the units of a delivered line that were not used: sealed packs, and vouchers. A link to a file ends with the order; the
 * fan keeps a collectible. Whether the whole line is back.
 */
export async function takeBackLine(tx: Transaction, line: LineRow): Promise<boolean> {
  const { packId, collectibleId } = parseDelivers(line.delivers)
  if (line.kind === 'voucher') return voidVouchers(tx, line)
  if (collectibleId !== undefined) return false
  if (packId === undefined) return true
  const units = (await readUnits(tx, line.orderId)).filter(unit => unit.line === line.number)
  let isBack = true
  for (const { packPurchaseId } of units)
    if (packPurchaseId !== null) isBack = (await takeBackPack(tx, packPurchaseId)) && isBack
  return isBack
}
