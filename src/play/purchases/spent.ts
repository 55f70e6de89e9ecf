/** What a fan spends: purchases that are pending or paid, less refunds. */
import { and, type Column, eq, gt, gte, or, type SQL, sql } from 'drizzle-orm'

/** What a sum is of. */
export interface Spending {
  userId: string
  /** POINTS, or ISO 4217. */
  currency: string
  /** Purchases that began earlier, or were paid late and earlier, do not count. */
  since: Date
  now: Date
}

type SpendingColumns = Record<
  'userId' | 'status' | 'priceAmount' | 'priceCurrency' | 'createdAt' | 'expiresAt' | 'completedAt',
  Column
>

/** Of a table of purchases. What is due for a refund counts until it is refunded. */
export const isSpent = (table: SpendingColumns, { userId, currency, since, now }: Spending) =>
  and(
    eq(table.userId, userId),
    eq(table.priceCurrency, currency),
    or(
      gte(table.createdAt, since),
      // Paid late: its hold had ended, so it counts when it was completed.
      and(gte(table.completedAt, since), gte(table.completedAt, table.expiresAt)),
    ),
    or(
      eq(table.status, 'completed'),
      eq(table.status, 'refund_due'),
      and(eq(table.status, 'pending'), gt(table.expiresAt, now)),
    ),
  )

/** `amount`: what a purchase counts. */
export const sumOf = (amount: Column | SQL) => sql`coalesce(sum(${amount}), 0)`.mapWith(Number)
