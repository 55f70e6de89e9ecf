/** Payments with money, of every kind of purchase. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from '../columns.ts'

export function definePurchasesTables(kit: ColumnKit) {
  const { table, id, integer, timestamp } = kit

  /** The primary key lets a payment pay one purchase, the unique index lets a purchase be paid once. */
  const payments = table(
    'payments',
    {
      /** Of the gateway that took it. */
      reference: id().primaryKey(),
      /** `pack`, `order` or `top_up`: which table has the purchase. */
      kind: id().notNull(),
      purchaseId: id().notNull(),
      /** Minor units. */
      amount: integer().notNull(),
      /** ISO 4217. */
      currency: id().notNull(),
      createdAt: timestamp().notNull(),
      refundedAt: timestamp(),
      /** A store gives back what it has not heard of by then. Null: it has, or needs not. */
      acknowledgeBy: timestamp(),
    },
    t => [
      kit.index('payments_to_acknowledge').on(t.acknowledgeBy).where(sql`${t.acknowledgeBy} is not null`),
      kit.uniqueIndex('payments_purchase_unique').on(t.purchaseId),
      kit.check('payments_amount_positive', sql`${t.amount} > 0`),
    ],
  )
  return { payments }
}
