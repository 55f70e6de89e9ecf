/** What a fan has in pending orders, and has held without paying. */
import { and, eq, gt, isNotNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { DomainError } from '../../core/problems.ts'
import { countedSince, type HeldPurchase } from '../purchases/unpaid-holds.ts'
import { rewardProblems } from '../rewards/problems.ts'
import type { Choice } from './choice.ts'
import type { ProductRow } from './products.ts'
import { isLimited } from './stock.ts'

export interface RecentOrders {
  orders: HeldPurchase[]
  held: HeldLine[]
}

interface HeldLine {
  productId: string
  quantity: number
  until: Date
}

/** In one statement. Requires that `lockToCount` has locked the fan. */
export async function readRecent(tx: Transaction, userId: string): Promise<RecentOrders> {
  const orders = new Map<string, HeldPurchase>()
  const held: HeldLine[] = []
  const rows = await selectRecent(tx, userId, countedSince(tx.now()), tx.now())
  for (const { order, productId, quantity, until } of rows) {
    orders.set(order.id, order)
    if (productId !== null && quantity !== null && until !== null) held.push({ productId, quantity, until })
  }
  return { orders: [...orders.values()], held }
}

/** `now`: after the locks, since a hold may end while they are waited for. */
export const countPending = ({ orders }: RecentOrders, now: Date): number =>
  orders.filter(({ status, expiresAt }) => status === 'pending' && expiresAt > now).length

/** A row for each line that is held; it has a product if the stock of its variant is limited. One row for an order without such lines. */
const selectRecent = prepared((reader: Reader, userId: string, since: Date, now: Date) => {
  const { orders, orderLines: lines, productVariants: variants } = reader.tables
  const isOf = and(eq(variants.productId, lines.productId), eq(variants.id, lines.variantId))
  const { id, status, createdAt, expiresAt, completedAt, cancelledAt } = orders
  const { priceAmount, priceCurrency, refundedAmount } = orders
  const price = { priceAmount, priceCurrency, refundedAmount }
  return reader
    .select({
      order: { id, status, ...price, createdAt, expiresAt, completedAt, cancelledAt },
      productId: variants.productId,
      quantity: lines.quantity,
      until: lines.holdUntil,
    })
    .from(orders)
    .leftJoin(lines, and(eq(lines.orderId, orders.id), gt(lines.holdUntil, now)))
    .leftJoin(variants, and(isOf, isNotNull(variants.stockTotal)))
    .where(and(eq(orders.userId, userId), gt(orders.createdAt, since)))
})

/**
 * A product without `maxPerFan` has this limit for units that are not paid, so that one fan cannot hold its stock. A variant
 * without a limit has enough for all. @throws DomainError `limit_reached`
 */
export function requireFewHeld(
  products: ProductRow[],
  { lines, variants, now }: Pick<Choice, 'lines' | 'variants' | 'now'>,
  { held }: RecentOrders,
  max: number,
): void {
  if (max === 0) return
  const unitsOf = (productId: string, some: { productId: string; quantity: number }[]) =>
    some.reduce((sum, line) => sum + (line.productId === productId ? line.quantity : 0), 0)
  const asked = lines.filter(line => isLimited(variants, line))
  const stillHeld = held.filter(({ until }) => until > now)
  for (const { id: productId, maxPerFan } of products) {
    const quantity = unitsOf(productId, asked)
    const available = Math.max(0, max - unitsOf(productId, stillHeld))
    if (maxPerFan !== null || quantity <= available) continue
    throw new DomainError(rewardProblems.limit_reached, {
      productId,
      maxPerFan: max,
      available,
      detail: `A fan can have ${max} units of this product in unpaid orders.`,
    })
  }
}
