/** Cash of fans: accounts and entries by currency, like points; holds for purchases; promotions, which can expire. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineCashTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, timestamp } = kit

  /** The head of a fan's ledger in a currency. Its row lock serializes entries and holds. */
  const cashAccounts = table(
    'cash_accounts',
    {
      userId: idOf(users),
      /** ISO 4217. */
      currency: id().notNull(),
      /** Minor units, including held cash. */
      balance: integer().notNull(),
      /** Sum of the holds that are neither captured nor released. */
      held: integer().notNull(),
      /** `seq` and `hash` of the newest entry. */
      seq: integer().notNull(),
      headHash: text().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'cash_accounts_pk', columns: [t.userId, t.currency] }),
      kit.check('cash_accounts_available_not_negative', sql`${t.held} >= 0 and ${t.balance} >= ${t.held}`),
      kit.check('cash_accounts_balance_exact', sql`${t.balance} <= 9007199254740991`),
    ],
  )

  /** The append-only ledger: triggers refuse UPDATE and DELETE (hand-written migrations). */
  const cashEntries = table(
    'cash_entries',
    {
      id: id().primaryKey(),
      userId: idOf(users),
      currency: id().notNull(),
      seq: integer().notNull(),
      delta: integer().notNull(),
      balanceAfter: integer().notNull(),
      reason: id().notNull(),
      ref: id().notNull(),
      createdAt: timestamp().notNull(),
      hash: text().notNull(),
    },
    t => [
      kit.uniqueIndex('cash_entries_user_currency_seq_unique').on(t.userId, t.currency, t.seq),
      kit.uniqueIndex('cash_entries_user_reason_ref_unique').on(t.userId, t.reason, t.ref),
      kit.check('cash_entries_delta_not_zero', sql`${t.delta} <> 0`),
      kit.check('cash_entries_balance_not_negative', sql`${t.balanceAfter} >= 0`),
    ],
  )

  /** Cash that is held for a purchase. The primary key allows one hold per purchase. */
  const cashHolds = table(
    'cash_holds',
    {
      purchaseId: id().primaryKey(),
      userId: idOf(users),
      currency: id().notNull(),
      amount: integer().notNull(),
      /** `held`, `captured` (paid), `released`, or `refunded` after it was captured. */
      state: id().notNull(),
      createdAt: timestamp().notNull(),
      /** A hold that is not captured by this time is released. */
      expiresAt: timestamp().notNull(),
      settledAt: timestamp(),
    },
    t => [
      kit.index('cash_holds_account').on(t.userId, t.currency, t.state),
      kit.index('cash_holds_expiry').on(t.state, t.expiresAt),
      kit.check('cash_holds_amount_positive', sql`${t.amount} > 0`),
      kit.check('cash_holds_state', sql`${t.state} in ('held', 'captured', 'released', 'refunded')`),
      kit.check('cash_holds_settled', sql`(${t.state} = 'held') = (${t.settledAt} is null)`),
    ],
  )

  /**
   * Cash that the club gives. It is spent before cash that the fan has paid for. The primary key ensures that each promotion
   * is given once.
   */
  const cashPromotions = table(
    'cash_promotions',
    {
      ref: id().primaryKey(),
      /** Who gave it. */
      source: id().notNull(),
      userId: idOf(users),
      currency: id().notNull(),
      amount: integer().notNull(),
      /** Neither held, nor spent, nor ended. */
      remaining: integer().notNull(),
      /** Null: it does not end. */
      expiresAt: timestamp(),
      /** When what was left of it was booked as ended. */
      endedAt: timestamp(),
      /** Not part of the ledger, so that an erasure can delete it. */
      note: text(),
      createdAt: timestamp().notNull(),
    },
    t => [
      kit.index('cash_promotions_account').on(t.userId, t.currency),
      kit.index('cash_promotions_expiry').on(t.expiresAt),
      kit.check(
        'cash_promotions_remaining',
        sql`${t.amount} > 0 and ${t.remaining} >= 0 and ${t.remaining} <= ${t.amount}`,
      ),
      kit.check('cash_promotions_ended', sql`${t.endedAt} is null or ${t.remaining} = 0`),
    ],
  )

  /** The part of a hold that comes from a promotion. It returns to the promotion when the hold is released or refunded. */
  const cashHoldPromotions = table(
    'cash_hold_promotions',
    {
      purchaseId: id()
        .notNull()
        .references(() => cashHolds.purchaseId),
      ref: id()
        .notNull()
        .references(() => cashPromotions.ref),
      amount: integer().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'cash_hold_promotions_pk', columns: [t.purchaseId, t.ref] }),
      kit.index('cash_hold_promotions_ref').on(t.ref),
      kit.check('cash_hold_promotions_amount_positive', sql`${t.amount} > 0`),
    ],
  )

  return { cashAccounts, cashEntries, cashHolds, cashPromotions, cashHoldPromotions }
}

export const fanData = {
  cashAccounts: {
    userId: { export: 'cash', erasure: 'keep', merge: { rule: 'the balance is carried over' } },
  },
  cashEntries: { userId: { export: 'cash', erasure: 'keep', merge: 'stay' } },
  cashHolds: { userId: { export: 'cash', erasure: 'keep', merge: 'move' } },
  cashPromotions: { userId: { export: 'cash', erasure: { clear: ['note'] }, merge: 'move' } },
} satisfies FanData<ReturnType<typeof defineCashTables>>
