/** The points ledger: accounts and their entries. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function definePointsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, timestamp } = kit

  /** The head of each fan's ledger. Its row lock serializes the entries of a fan. */
  const pointsAccounts = table(
    'points_accounts',
    {
      userId: idOf(users).primaryKey(),
      balance: integer().notNull(),
      /** Sum of all points ever earned. Spending does not reduce it. */
      lifetime: integer().notNull(),
      /** `seq` and `hash` of the newest entry. */
      seq: integer().notNull(),
      headHash: text().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.check('points_accounts_balance_not_negative', sql`${t.balance} >= 0`),
      kit.check('points_accounts_balance_exact', sql`${t.balance} <= 9007199254740991`),
      kit.check('points_accounts_lifetime_exact', sql`${t.lifetime} between 0 and 9007199254740991`),
    ],
  )

  /** The append-only ledger: triggers refuse UPDATE and DELETE (hand-written migrations). */
  const pointsEntries = table(
    'points_entries',
    {
      id: id().primaryKey(),
      userId: idOf(users),
      seq: integer().notNull(),
      delta: integer().notNull(),
      balanceAfter: integer().notNull(),
      reason: id().notNull(),
      ref: id().notNull(),
      createdAt: timestamp().notNull(),
      hash: text().notNull(),
    },
    t => [
      kit.uniqueIndex('points_entries_user_seq_unique').on(t.userId, t.seq),
      kit.uniqueIndex('points_entries_user_reason_ref_unique').on(t.userId, t.reason, t.ref),
      kit.check('points_entries_delta_not_zero', sql`${t.delta} <> 0`),
      kit.check('points_entries_balance_not_negative', sql`${t.balanceAfter} >= 0`),
    ],
  )

  /** Grants by server keys and operators. The primary key enforces that a grant is booked once. */
  const pointsGrants = table(
    'points_grants',
    {
      ref: id().primaryKey(),
      /** Who granted it. */
      source: id().notNull(),
      userId: idOf(users),
      delta: integer().notNull(),
      entryId: id().notNull(),
      /** Not part of the ledger, so that an erasure can delete it. */
      note: text(),
      createdAt: timestamp().notNull(),
    },
    t => [kit.index('points_grants_user').on(t.userId)],
  )

  /** Progress of the expiry of points, with a row for each setting of `POINTS_EXPIRE_AFTER_DAYS`. */
  const pointsExpiry = table('points_expiry', {
    days: integer().primaryKey(),
    /** The first day of the setting: no points expire in the 30 days after it. */
    since: timestamp().notNull(),
    /** The day of the current pass over all fans, or of the last one. */
    day: timestamp().notNull(),
    /** The last fan of the pass so far; null when it has ended. */
    cursor: id(),
  })

  return { pointsAccounts, pointsEntries, pointsGrants, pointsExpiry }
}

export const fanData = {
  pointsAccounts: {
    userId: { export: 'points', erasure: 'keep', merge: { rule: 'the balance is carried over' } },
  },
  pointsEntries: { userId: { export: 'points', erasure: 'keep', merge: 'stay' } },
  pointsGrants: { userId: { export: 'points', erasure: { clear: ['note'] }, merge: 'stay' } },
} satisfies FanData<ReturnType<typeof definePointsTables>>
