/** Accounts: points that fans keep and never spend, with tiers. The entries of fans, and their totals. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineAccountsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** What the catalogue states. The importer sets the id, a slug. */
  const accounts = table('accounts', {
    id: id().primaryKey(),
    name: text().notNull(),
    unit: text().notNull(),
    /** JSON: the number of seasons that count. Null: all. */
    window: text(),
    public: boolean().notNull(),
    /** JSON: an array of tiers. */
    tiers: text().notNull(),
    /** JSON: the texts that exist in several languages. Their columns have the default. */
    translations: text(),
    active: boolean().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  /** The append-only ledger of a fan in an account: triggers refuse UPDATE and DELETE (hand-written migrations). */
  const accountEntries = table(
    'account_entries',
    {
      id: id().primaryKey(),
      userId: idOf(users),
      accountId: idOf(accounts),
      seq: integer().notNull(),
      delta: integer().notNull(),
      balanceAfter: integer().notNull(),
      reason: id().notNull(),
      ref: id().notNull(),
      /** Decides the season of the entry: when it was earned. That of a void is that of what it takes back. */
      countedAt: timestamp().notNull(),
      createdAt: timestamp().notNull(),
      hash: text().notNull(),
    },
    t => [
      kit.uniqueIndex('account_entries_user_account_seq_unique').on(t.userId, t.accountId, t.seq),
      kit.uniqueIndex('account_entries_user_reason_ref_unique').on(t.userId, t.reason, t.ref),
      // The total of a window, from the index alone.
      kit.index('account_entries_window').on(t.userId, t.accountId, t.countedAt, t.delta),
      kit.check('account_entries_delta_not_zero', sql`${t.delta} <> 0`),
      kit.check('account_entries_balance_not_negative', sql`${t.balanceAfter} >= 0`),
    ],
  )

  /** The head of a fan's ledger in an account, and what follows from its entries. The lock is that of the fan's points account. */
  const fanAccounts = table(
    'fan_accounts',
    {
      userId: idOf(users),
      accountId: idOf(accounts),
      /** The sum of all entries. */
      balance: integer().notNull(),
      /** `seq` and `hash` of the newest entry. */
      seq: integer().notNull(),
      headHash: text().notNull(),
      /** Minus the sum of the entries of the window, so that an index has the highest first. */
      minusTotal: integer().notNull(),
      /** When the fan earned last of what remains in the window; the time of the row without such an entry. */
      reachedAt: timestamp().notNull(),
      /** Since when entries count; null: all. */
      windowFrom: timestamp(),
      tierId: id(),
      tierSince: timestamp(),
      /** Until when the tier is kept although the total is too low. */
      tierUntil: timestamp(),
      /** Window and tiers by which the row was written: another value is brought up to date by a task. */
      basis: id().notNull(),
      /** The season's end for which a tier at risk was told. */
      riskToldFor: timestamp(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'fan_accounts_pk', columns: [t.userId, t.accountId] }),
      // The order of priority.
      kit.index('fan_accounts_order').on(t.accountId, t.minusTotal, t.reachedAt, t.userId),
      // The fans of a tier.
      kit.index('fan_accounts_tier').on(t.accountId, t.tierId, t.userId).where(sql`${t.tierId} is not null`),
      kit.index('fan_accounts_basis').on(t.accountId, t.basis, t.userId),
      kit.index('fan_accounts_changed').on(t.accountId, t.updatedAt),
      kit.index('fan_accounts_until').on(t.tierUntil),
      kit.check('fan_accounts_balance', sql`${t.balance} >= 0 and ${t.balance} <= 9007199254740991`),
    ],
  )

  return { accounts, accountEntries, fanAccounts }
}

export const fanData = {
  accountEntries: {
    userId: {
      export: 'accounts',
      erasure: 'keep',
      merge: { rule: 'stay; new entries carry what remains' },
    },
  },
  fanAccounts: {
    userId: {
      export: 'accounts',
      erasure: 'keep',
      merge: { rule: 'stay; new entries carry what remains' },
    },
  },
} satisfies FanData<ReturnType<typeof defineAccountsTables>>
