/** The club's shop: products and their variants. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'

export function defineShopTables(kit: ColumnKit, { collectibles }: Referenced<'collectibles'>) {
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
      /** JSON: the texts that exist in several languages. Their columns have the default. */
      translations: text(),
      /** Points, or minor units of an ISO 4217 currency. */
      priceAmount: integer().notNull(),
      priceCurrency: id().notNull(),
      /** Units of all variants together; null: no limit. */
      maxPerFan: integer(),
      /** JSON: a list of countries; null: all countries. */
      shipsTo: text(),
      requiredPoints: integer(),
      requiredCollectibleId: id().references(() => collectibles.id),
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
      /** False once the file no longer has it: it is never deleted. */
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

  return { products, productVariants }
}
