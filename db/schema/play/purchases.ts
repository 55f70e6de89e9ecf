/** Payments with money, of every kind of purchase, and receipts. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from '../columns.ts'

export function definePurchasesTables(kit: ColumnKit) {
  const { table, id, text, integer, timestamp } = kit

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

  /** The last number of each series of receipts: `money`, or `points`. Its row is locked last in a unit of work. */
  const receiptSeries = table(
    'receipt_series',
    {
      id: id().primaryKey(),
      last: integer().notNull(),
      /** When its first number was given. What was paid before has no receipt. */
      startedAt: timestamp().notNull(),
    },
    t => [
      kit.check('receipt_series_id', sql`${t.id} in ('money', 'points')`),
      kit.check('receipt_series_last_positive', sql`${t.last} > 0`),
    ],
  )

  /**
   * Receipts of paid purchases, and credit notes of their refunds, without data of the fan. Append-only: triggers refuse UPDATE and
   * DELETE (hand-written migrations).
   */
  const receipts = table(
    'receipts',
    {
      series: id().notNull(),
      /** 1, 2, 3 … without a gap. */
      number: integer().notNull(),
      /** `receipt` or `credit_note`. */
      kind: id().notNull(),
      /** `order` or `pack`: which table has the purchase. */
      purchaseKind: id().notNull(),
      purchaseId: id().notNull(),
      /** The purchase, or the refund of a part of it. */
      ref: id().notNull(),
      currency: id().notNull(),
      /** Whose tax it has; null: unknown, or points. */
      country: id(),
      net: integer().notNull(),
      tax: integer().notNull(),
      gross: integer().notNull(),
      /** JSON: the lines, with their texts at the time of the payment. */
      lines: text().notNull(),
      /** JSON: who sells, by the settings at that time. */
      seller: text().notNull(),
      createdAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'receipts_pk', columns: [t.series, t.number] }),
      kit.uniqueIndex('receipts_ref_unique').on(t.kind, t.ref),
      kit.index('receipts_purchase').on(t.purchaseId),
      kit.index('receipts_created').on(t.createdAt),
      kit.check('receipts_kind', sql`${t.kind} in ('receipt', 'credit_note')`),
      kit.check('receipts_series', sql`(${t.series} = 'points') = (${t.currency} = 'POINTS')`),
      kit.check(
        'receipts_sums',
        sql`${t.number} > 0 and ${t.net} >= 0 and ${t.tax} >= 0 and ${t.net} + ${t.tax} = ${t.gross}`,
      ),
      kit.check('receipts_points_without_tax', sql`${t.series} <> 'points' or ${t.tax} = 0`),
    ],
  )

  return { payments, receiptSeries, receipts }
}
