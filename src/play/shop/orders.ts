/** Reads orders for their fan or for the club's systems. */

import { and, desc, eq, lt } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import type { Encryption } from '../../core/encryption.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { readPublicProfiles } from '../../identity/users/public-profile.ts'
import { decryptAddress } from './addresses.ts'
import { presentDelivers } from './delivers.ts'
import { findOrder, type OrderRow, readWhole, shownStatusOf, type WholeOrder } from './order-rows.ts'
import type { FanOrder, Order } from './order-schema.ts'
import { shopProblems } from './problems.ts'

/** The orders of the caller, newest first. @throws DomainError `invalid_cursor` */
export async function listOrders(
  reader: Reader,
  { cursors, addressEncryption }: { cursors: Cursors; addressEncryption: Encryption },
  { userId }: Viewer,
  page: Page,
) {
  const list = `orders ${userId}`
  const before = cursors.decode(list, page.cursor)
  const rows = await selectLatest(reader, userId, page.limit + 1, before)
  const { shown, nextCursor } = cutPage(rows, page.limit, last => cursors.encode(list, last.id))
  const now = reader.now()
  const orders = (await readWhole(reader, shown)).map(whole => presentOrder(whole, addressEncryption, now))
  return { orders, nextCursor }
}

/** Ids sort by time of creation. */
const selectLatest = prepared((reader: Reader, userId: string, limit: number, before?: string) => {
  const { orders } = reader.tables
  return reader
    .select()
    .from(orders)
    .where(and(eq(orders.userId, userId), before === undefined ? undefined : lt(orders.id, before)))
    .orderBy(desc(orders.id))
    .limit(limit)
})

/** @throws DomainError `order_not_found`, also for an order of another fan */
export async function readOwnOrder(
  reader: Reader,
  addressEncryption: Encryption,
  { userId }: Viewer,
  orderId: string,
): Promise<Order> {
  const order = await findOrder(reader, orderId)
  const [whole] = order?.userId === userId && order ? await readWhole(reader, [order]) : []
  if (!whole) throw new DomainError(shopProblems.order_not_found)
  return presentOrder(whole, addressEncryption, reader.now())
}

/** An order of any fan, for the club's systems. @throws DomainError `order_not_found` */
export async function readFanOrder(
  reader: Reader,
  addressEncryption: Encryption,
  orderId: string,
): Promise<FanOrder> {
  const order = await findOrder(reader, orderId)
  const [whole] = order ? await readWhole(reader, [order]) : []
  if (!whole) throw new DomainError(shopProblems.order_not_found)
  const { userId } = whole.order
  const profile = (await readPublicProfiles(reader, [userId])).get(userId)
  return {
    ...presentOrder(whole, addressEncryption, reader.now()),
    fan: { id: userId, displayName: profile?.displayName ?? null },
  }
}

export function presentOrder(whole: WholeOrder, addressEncryption: Encryption, now: Date): Order {
  const { order } = whole
  const { priceAmount: amount, priceCurrency: currency } = order
  return {
    id: order.id,
    status: shownStatusOf(whole, now),
    lines: presentLines(whole, currency),
    discount: { amount: order.discountAmount, currency },
    total: { amount, currency },
    refunded: { amount: givenBack(order), currency },
    waiver: order.waiver,
    address: decryptAddress(addressEncryption, order),
    createdAt: order.createdAt.toISOString(),
    expiresAt: order.expiresAt.toISOString(),
    paidAt: order.completedAt?.toISOString() ?? null,
    refundedAt: order.refundedAt?.toISOString() ?? null,
  }
}

/** Of an order that was paid and refunded, or is to be, the whole price. */
const givenBack = ({ status, priceAmount, refundedAmount }: OrderRow) =>
  status === 'refunded' || status === 'refund_due' ? priceAmount : refundedAmount

function presentLines({ lines, units }: WholeOrder, currency: string): Order['lines'] {
  return lines.map(line => {
    const { number, productId, variantId, quantity, priceAmount: amount, carrier, tracking } = line
    const own = units.filter(unit => unit.line === number)
    return {
      number,
      productId,
      variantId,
      quantity,
      price: { amount, currency },
      carrier,
      tracking,
      withdrawnAt: line.withdrawnAt?.toISOString() ?? null,
      // Guarantee of the casts: constraints of the tables.
      kind: line.kind as Order['lines'][number]['kind'],
      state: line.state as Order['lines'][number]['state'],
      delivers: presentDelivers(line.delivers),
      vouchers: own.flatMap(({ code, ...unit }) => (code === null ? [] : { code, state: stateOf(unit) })),
      packPurchaseIds: own.flatMap(({ packPurchaseId }) => packPurchaseId ?? []),
    }
  })
}

function stateOf({ usedAt, voidedAt }: { usedAt: Date | null; voidedAt: Date | null }) {
  if (voidedAt) return 'void'
  return usedAt ? 'used' : 'valid'
}
