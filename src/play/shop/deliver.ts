/** Delivers the lines that are not shipped, when the order is paid, and takes back unused units. */

import { insertRows } from '../../../db/bulk.ts'
import type { Transaction } from '../../../db/index.ts'
import { giveCollectible } from '../packs/give-collectible.ts'
import { canGivePacks, givePacks, takeBackPack } from '../packs/give-packs.ts'
import { parseDelivers } from './delivers.ts'
import { type LineRow, type OrderRow, readUnits } from './order-rows.ts'
import { issueVouchers, voidVouchers } from './vouchers.ts'

type Wanted = Pick<LineRow, 'delivers' | 'quantity'>

/**
 * The id of a pack with too little supply for the lines together; null if every supply is large enough. Locks the supplies,
 * in one order for all units of work.
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

/** Sorts lines by the collectibles that they give, so that all units of work lock collectibles in one order. */
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
 * Takes back unused units of a delivered line: sealed packs and vouchers. Links to a file end with the line; the fan keeps
 * collectibles. Returns how many units are back, now or from before.
 */
export async function takeBackUnits(tx: Transaction, line: LineRow): Promise<number> {
  const { packId, collectibleId } = parseDelivers(line.delivers)
  if (line.kind === 'voucher') return voidVouchers(tx, line)
  if (collectibleId !== undefined) return 0
  if (packId === undefined) return line.quantity
  const units = (await readUnits(tx, line.orderId)).filter(unit => unit.line === line.number)
  let back = 0
  for (const { packPurchaseId } of units)
    if (packPurchaseId !== null && (await takeBackPack(tx, packPurchaseId))) back++
  return back
}
