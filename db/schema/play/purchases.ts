/** Payments with money, of every kind of purchase. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from '../columns.ts'

export function definePurchasesTables(kit: ColumnKit) {
  const { table, id, integer, timestamp } = kit

  /** The primary key ensures that a payment pays for one purchase; the unique index ensures that a purchase is paid once. */
  const payments = table(
    'payments',
    {
      /** Reference at the gateway. */
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
      /**
       * The store refunds the payment if the delivery is not confirmed by this time. Null: confirmed, or no confirmation
       * needed.
       */
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
