/** Orders of all fans as the staff see them, listed by the next work to do. */
import { and, asc, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { Encryption } from '../../core/encryption.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { readPublicProfiles } from '../../identity/users/public-profile.ts'
import { isPaidByGateway, POINTS } from '../purchases/purchase.ts'
import { orderKind } from './order-kind.ts'
import { findOrder, type OrderRow, readWhole, shownStatusOf, type WholeOrder } from './order-rows.ts'
import { readFanOrder } from './orders.ts'

/** Lists of lines, by their state. */
const LINE_LISTS = { to_pack: 'none', to_ship: 'ready', shipped: 'shipped' } as const
/** Lists of orders, by their stored status. */
const STATUS_LISTS = {
  refund_due: 'refund_due',
  paid: 'completed',
  pending: 'pending',
  refunded: 'refunded',
  cancelled: 'cancelled',
  all: null,
} as const

/** The lists for staff: work to do for shipped lines, then orders by status. */
export const ORDER_LISTS = [
  ...(['to_pack', 'to_ship', 'shipped', 'refund_due', 'paid'] as const),
  ...(['pending', 'refunded', 'cancelled', 'all'] as const),
] as const
export type OrderList = (typeof ORDER_LISTS)[number]

const isLineList = (list: OrderList): list is keyof typeof LINE_LISTS => list in LINE_LISTS

/** Ids sort by time of creation. @throws DomainError `invalid_cursor` */
export async function listOrdersOf(
  reader: Reader,
  cursors: Cursors,
  list: OrderList,
  { limit, cursor }: Page,
) {
  const name = `console orders ${list}`
  const after = cursors.decode(name, cursor)
  const rows = isLineList(list)
    ? await selectByLines(reader, LINE_LISTS[list], limit + 1, after)
    : await selectByStatus(reader, STATUS_LISTS[list], limit + 1, after)
  const { shown, nextCursor } = cutPage(rows, limit, last => cursors.encode(name, last.id))
  return { orders: await presentAll(reader, await readWhole(reader, shown)), nextCursor }
}

/** The oldest first, so that the longest waiting order is shipped first. */
async function selectByLines(reader: Reader, state: string, limit: number, after?: string) {
  const { orders, orderLines: lines } = reader.tables
  const ids = await reader
    .selectDistinct({ id: lines.orderId })
    .from(lines)
    .where(
      and(
        // In the same form as in the index: constants instead of parameters.
        sql`${lines.kind} = 'physical' and ${lines.isSold}`,
        eq(lines.state, state),
        after === undefined ? undefined : gt(lines.orderId, after),
      ),
    )
    .orderBy(asc(lines.orderId))
    .limit(limit)
  if (ids.length === 0) return []
  return reader
    .select()
    .from(orders)
    .where(
      inArray(
        orders.id,
        ids.map(({ id }) => id),
      ),
    )
    .orderBy(asc(orders.id))
}

function selectByStatus(
  reader: Reader,
  status: string | null,
  limit: number,
  after?: string,
): PromiseLike<OrderRow[]> {
  const { orders } = reader.tables
  const isOldestFirst = status === 'refund_due'
  const next = after === undefined ? undefined : isOldestFirst ? gt(orders.id, after) : lt(orders.id, after)
  return reader
    .select()
    .from(orders)
    .where(and(status === null ? undefined : eq(orders.status, status), next))
    .orderBy(isOldestFirst ? asc(orders.id) : desc(orders.id))
    .limit(limit)
}

async function presentAll(reader: Reader, found: WholeOrder[]) {
  const now = reader.now()
  const profiles = await readPublicProfiles(reader, [...new Set(found.map(({ order }) => order.userId))])
  const names = await readGoodsNames(
    reader,
    found.flatMap(({ lines }) => lines),
  )
  return found.map(whole => {
    const { order, lines } = whole
    return {
      id: order.id,
      status: shownStatusOf(whole, now),
      fan: { id: order.userId, displayName: profiles.get(order.userId)?.displayName ?? null },
      total: { amount: order.priceAmount, currency: order.priceCurrency },
      units: lines.reduce((sum, { quantity }) => sum + quantity, 0),
      products: [...new Set(lines.map(line => names.of(line).productName))],
      states: [...new Set(lines.flatMap(({ kind, state }) => (kind === 'physical' ? state : [])))],
      createdAt: order.createdAt.toISOString(),
      paidAt: order.completedAt?.toISOString() ?? null,
    }
  })
}

type Goods = { productId: string; variantId: string }

/** The current names of products, in the default language of the catalogue. */
async function readGoodsNames(reader: Reader, goods: Goods[]) {
  const { products, productVariants: variants } = reader.tables
  const ids = [...new Set(goods.map(({ productId }) => productId))]
  const rows =
    ids.length === 0
      ? []
      : await reader
          .select({
            productId: products.id,
            product: products.name,
            variantId: variants.id,
            variant: variants.name,
          })
          .from(products)
          .innerJoin(variants, eq(variants.productId, products.id))
          .where(inArray(products.id, ids))
  const byVariant = new Map(rows.map(row => [`${row.productId} ${row.variantId}`, row]))
  return {
    of({ productId, variantId }: Goods) {
      const row = byVariant.get(`${productId} ${variantId}`)
      return { productName: row?.product ?? productId, variantName: row?.variant ?? variantId }
    },
  }
}

/** With `seesAddress`, the address is decrypted. @throws DomainError `order_not_found` */
export async function readOrderDetail(
  reader: Reader,
  encryption: Encryption,
  orderId: string,
  seesAddress: boolean,
) {
  const { address, ...order } = await readFanOrder(reader, encryption, orderId)
  const row = await findOrder(reader, orderId)
  const names = await readGoodsNames(reader, order.lines)
  const isRefundable = row?.status === 'completed' || row?.status === 'refund_due'
  return {
    ...order,
    lines: order.lines.map(line => ({ ...line, ...names.of(line) })),
    address: seesAddress ? address : null,
    addressHidden: !seesAddress && address !== null,
    refund:
      row && isRefundable
        ? { consequences: (await orderKind.readGoods(reader, row)).consequences, paidBy: payerOf(row) }
        : null,
  }
}

function payerOf(order: OrderRow): 'gateway' | 'points' | 'cash' {
  if (isPaidByGateway(order)) return 'gateway'
  return order.priceCurrency === POINTS ? 'points' : 'cash'
}
