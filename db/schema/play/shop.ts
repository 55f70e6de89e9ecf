/** The club's shop: products, their variants, and orders. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineShopTables(
  kit: ColumnKit,
  { users, collectibles }: Referenced<'users' | 'collectibles'>,
) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** The importer sets the id, a slug. */
  const products = table(
    'products',
    {
      id: id().primaryKey(),
      name: text().notNull(),
      description: text().notNull(),
      /** JSON: a list of URLs. */
      images: text().notNull(),
      category: id().notNull(),
      kind: id().notNull(),
      /** Who supports it: a sponsor of the catalogue, in the figures of the season. */
      sponsorId: id(),
      /** JSON: what a unit delivers, for the kinds that are not shipped. */
      delivers: text(),
      /** JSON: the texts that exist in several languages. Their columns have the default. */
      translations: text(),
      /** Points, or minor units of an ISO 4217 currency. */
      priceAmount: integer().notNull(),
      priceCurrency: id().notNull(),
      /** The lowest price of the 30 days before it was reduced. Null: the last change did not reduce it. */
      lowestPriceAmount: integer(),
      /** JSON: the tax that the price includes, a fraction, or one for each country; null: not stated. */
      taxRate: text(),
      /** Limit for all variants together; null: no limit. */
      maxPerFan: integer(),
      /** JSON: a list of countries; null: all countries. */
      shipsTo: text(),
      requiredPoints: integer(),
      requiredCollectibleId: id().references(() => collectibles.id),
      /** JSON: the tokens that a fan must hold; null: none. */
      requiredHolding: text(),
      /** JSON: what else a fan must meet; null: nothing. */
      requires: text(),
      active: boolean().notNull(),
      startsAt: timestamp(),
      endsAt: timestamp(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.index('products_category').on(t.active, t.category, t.id),
      kit.index('products_active').on(t.active, t.id),
      kit.check('products_price_not_negative', sql`${t.priceAmount} >= 0`),
      kit.check('products_max_positive', sql`${t.maxPerFan} >= 1`),
      kit.check('products_kind', sql`${t.kind} in ('physical', 'digital', 'voucher', 'pack')`),
    ],
  )

  const productVariants = table(
    'product_variants',
    {
      productId: idOf(products),
      id: id().notNull(),
      name: text().notNull(),
      translations: text(),
      sku: id(),
      /** The order in the file. */
      position: integer().notNull(),
      /** Null: unlimited. */
      stockTotal: integer(),
      stockSold: integer().notNull(),
      /** False if the catalogue file no longer contains it. Rows are never deleted. */
      listed: boolean().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'product_variants_pk', columns: [t.productId, t.id] }),
      kit.check(
        'product_variants_stock',
        sql`${t.stockSold} >= 0 and (${t.stockTotal} is null or ${t.stockSold} <= ${t.stockTotal})`,
      ),
    ],
  )

  /**
   * Expiry is not stored: a pending order has expired from `expiresAt` on. `fulfilled` is not stored either: it means that
   * the order is completed and each line has arrived.
   */
  const orders = table(
    'orders',
    {
      id: id().primaryKey(),
      userId: idOf(users),
      /** `pending`, `completed`, `cancelled`, `refund_due` (paid, but too late) or `refunded`. */
      status: id().notNull(),
      /** The sum of the lines, minus the discount. */
      priceAmount: integer().notNull(),
      priceCurrency: id().notNull(),
      discountAmount: integer().notNull(),
      /** The code of a voucher that gave the discount. */
      voucherCode: id(),
      /** Whose tax the lines include: of the address, else of the profile. Null: unknown, or paid with points. */
      taxCountry: id(),
      /** Encrypted JSON; null if nothing is shipped or the address was deleted. */
      address: text(),
      /** Time until which the address of a paid order is kept after an erasure of the fan. Null: it is not kept. */
      addressKeptUntil: timestamp(),
      createdAt: timestamp().notNull(),
      expiresAt: timestamp().notNull(),
      completedAt: timestamp(),
      /** Null also for orders that were cancelled before the column existed. */
      cancelledAt: timestamp(),
      refundedAt: timestamp(),
      /** Time when the event of its expiry was recorded. */
      expiryNotedAt: timestamp(),
      paymentReference: id(),
      /** Part of the price that was refunded for some of the lines, or is due. Never more than the price. */
      refundedAmount: integer().notNull().default(0),
      /** The fan waived the withdrawal from lines that are not shipped. */
      waiver: boolean().notNull().default(false),
    },
    t => [
      kit.index('orders_user').on(t.userId, t.id),
      // What fans have paid, from the index alone.
      kit
        .index('orders_paid')
        .on(t.userId, t.priceCurrency, t.priceAmount, t.refundedAmount)
        .where(sql`${t.status} = 'completed'`),
      kit.index('orders_status').on(t.status, t.expiresAt),
      kit.index('orders_listed').on(t.status, t.id),
      kit
        .uniqueIndex('orders_payment_unique')
        .on(t.paymentReference)
        .where(sql`${t.paymentReference} is not null`),
      kit
        .index('orders_expiring')
        .on(t.expiresAt)
        .where(sql`${t.status} = 'pending' and ${t.expiryNotedAt} is null`),
      kit.index('orders_address').on(t.status, t.expiresAt).where(sql`${t.address} is not null`),
      kit.index('orders_voucher').on(t.voucherCode).where(sql`${t.voucherCode} is not null`),
      kit.check('orders_price', sql`${t.priceAmount} >= 0 and ${t.discountAmount} >= 0`),
      kit.check(
        'orders_status',
        sql`${t.status} in ('pending', 'completed', 'cancelled', 'refund_due', 'refunded')`,
      ),
      kit.check('orders_completed', sql`${t.status} <> 'completed' or ${t.completedAt} is not null`),
      kit.check('orders_refunded', sql`(${t.status} = 'refunded') = (${t.refundedAt} is not null)`),
    ],
  )

  /**
   * A line holds stock until `holdUntil` while its order is pending, so no job has to release it. After completion, its
   * units count as sold in `product_variants` until they are returned.
   */
  const orderLines = table(
    'order_lines',
    {
      orderId: idOf(orders),
      /** 1, 2, 3 … in the order of the cart. */
      number: integer().notNull(),
      productId: id().notNull(),
      variantId: id().notNull(),
      quantity: integer().notNull(),
      /** Price of a unit, fixed at the checkout, in the currency of the order. */
      priceAmount: integer().notNull(),
      /** The tax that the price includes, in millionths of the net price, fixed at the checkout. Null: none is stated. */
      taxMillionths: integer(),
      /** Kind of the product, and what a unit delivers, fixed at the checkout. */
      kind: id().notNull(),
      delivers: text(),
      state: id().notNull(),
      holdUntil: timestamp(),
      isSold: boolean().notNull(),
      carrier: text(),
      tracking: text(),
      /** Null also for lines that were delivered before the column existed. */
      deliveredAt: timestamp(),
      /** When a link to its file was first given. */
      downloadedAt: timestamp(),
      withdrawnAt: timestamp(),
      /** Units whose price was refunded by a withdrawal, or is due. */
      refundedUnits: integer().notNull().default(0),
    },
    t => [
      kit.primaryKey({ name: 'order_lines_pk', columns: [t.orderId, t.number] }),
      kit.uniqueIndex('order_lines_variant_unique').on(t.orderId, t.productId, t.variantId),
      kit.index('order_lines_variant').on(t.productId, t.variantId, t.holdUntil),
      kit
        .index('order_lines_to_ship')
        .on(t.state, t.orderId)
        .where(sql`${t.kind} = 'physical' and ${t.isSold}`),
      kit.index('order_lines_hold').on(t.holdUntil).where(sql`${t.holdUntil} is not null`),
      kit.foreignKey({
        name: 'order_lines_variant_fk',
        columns: [t.productId, t.variantId],
        foreignColumns: [productVariants.productId, productVariants.id],
      }),
      kit.check('order_lines_quantity', sql`${t.quantity} >= 1 and ${t.priceAmount} >= 0`),
      kit.check(
        'order_lines_state',
        sql`${t.state} in ('none', 'ready', 'shipped', 'delivered', 'returned')`,
      ),
      kit.check('order_lines_hold', sql`${t.holdUntil} is null or not ${t.isSold}`),
      kit.check('order_lines_shipped', sql`${t.state} <> 'shipped' or ${t.carrier} is not null`),
    ],
  )

  /** The delivered units of a completed line: purchases of packs, or vouchers. */
  const orderUnits = table(
    'order_units',
    {
      orderId: id().notNull(),
      line: integer().notNull(),
      unit: integer().notNull(),
      packPurchaseId: id(),
      /** The code of a voucher, which the fan shows at the desk. */
      code: id(),
      usedAt: timestamp(),
      /** The source of the server key that used it, or `order:ID`. */
      usedBy: text(),
      /** The order was refunded, or the fan is erased. */
      voidedAt: timestamp(),
    },
    t => [
      kit.primaryKey({ name: 'order_units_pk', columns: [t.orderId, t.line, t.unit] }),
      kit.uniqueIndex('order_units_code_unique').on(t.code).where(sql`${t.code} is not null`),
      kit.foreignKey({
        name: 'order_units_line_fk',
        columns: [t.orderId, t.line],
        foreignColumns: [orderLines.orderId, orderLines.number],
      }),
      kit.check('order_units_pack_or_voucher', sql`(${t.packPurchaseId} is null) = (${t.code} is not null)`),
      kit.check('order_units_used', sql`(${t.usedAt} is null) = (${t.usedBy} is null)`),
      kit.check('order_units_used_or_void', sql`${t.usedAt} is null or ${t.voidedAt} is null`),
    ],
  )

  /** Refunds of a part of an order, after a withdrawal. What was not part of one is refunded with the order. */
  const orderRefunds = table(
    'order_refunds',
    {
      /** ORDER:NUMBER, the reference of the entry in a ledger and of the refund at a gateway. */
      id: id().primaryKey(),
      orderId: idOf(orders),
      /** 1, 2, 3 … in the order of the refunds. */
      number: integer().notNull(),
      /** In the currency of the order. */
      amount: integer().notNull(),
      /** JSON: numbers of the lines, with the units whose price it refunds. */
      lines: text().notNull(),
      /** `due` at the gateway, `refunded`, or `void`: the gateway had returned the whole payment before. */
      state: id().notNull(),
      createdAt: timestamp().notNull(),
      settledAt: timestamp(),
    },
    t => [
      kit.uniqueIndex('order_refunds_number_unique').on(t.orderId, t.number),
      kit.index('order_refunds_due').on(t.createdAt).where(sql`${t.state} = 'due'`),
      kit.check('order_refunds_amount_positive', sql`${t.amount} > 0 and ${t.number} > 0`),
      kit.check('order_refunds_state', sql`${t.state} in ('due', 'refunded', 'void')`),
      kit.check('order_refunds_settled', sql`(${t.state} = 'due') = (${t.settledAt} is null)`),
    ],
  )

  return { products, productVariants, orders, orderLines, orderUnits, orderRefunds }
}

export const fanData = {
  // With ORDER_ADDRESS_RETENTION_DAYS, the address of a paid order stays for that time. Tracking numbers of the lines are
  // cleared too.
  orders: { userId: { export: 'orders', erasure: { clear: ['address'] }, merge: 'move' } },
} satisfies FanData<ReturnType<typeof defineShopTables>>
