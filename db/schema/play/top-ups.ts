/** Top-ups: cash that fans pay for. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineTopUpsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, integer, timestamp } = kit

  const topUps = table(
    'top_ups',
    {
      id: id().primaryKey(),
      userId: idOf(users),
      status: id().notNull(),
      /** Minor units. */
      priceAmount: integer().notNull(),
      priceCurrency: id().notNull(),
      createdAt: timestamp().notNull(),
      expiresAt: timestamp().notNull(),
      completedAt: timestamp(),
      refundedAt: timestamp(),
      /** The payment, which `payments` allows only once. */
      paymentReference: id(),
    },
    t => [
      kit.index('top_ups_user').on(t.userId, t.id),
      kit.index('top_ups_unpaid').on(t.expiresAt).where(sql`${t.status} = 'pending'`),
      kit.check('top_ups_amount_positive', sql`${t.priceAmount} > 0`),
      kit.check('top_ups_status', sql`${t.status} in ('pending', 'completed', 'refund_due', 'refunded')`),
      kit.check(
        'top_ups_completed',
        sql`${t.status} <> 'completed' or (${t.completedAt} is not null and ${t.paymentReference} is not null)`,
      ),
      kit.check('top_ups_refunded', sql`(${t.status} = 'refunded') = (${t.refundedAt} is not null)`),
    ],
  )
  return { topUps }
}

export const fanData = {
  topUps: { userId: { export: 'topUps', erasure: 'keep', merge: 'move' } },
} satisfies FanData<ReturnType<typeof defineTopUpsTables>>
