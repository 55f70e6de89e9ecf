/** The points ledger: accounts and their entries. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function definePointsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** The head of each fan's ledger. Its row lock serializes the entries of a fan. */
  const pointsAccounts = table(
    'points_accounts',
    {
      userId: idOf(users).primaryKey(),
      balance: integer().notNull(),
      /** Sum of all points that were ever earned. Spending does not reduce it. */
      lifetime: integer().notNull(),
      /** `seq` and `hash` of the newest entry. */
      seq: integer().notNull(),
      headHash: text().notNull(),
      updatedAt: timestamp().notNull(),
      /** The latest time from which a league counts the fan's points; null: none. See `baselines.ts`. */
      countedFrom: timestamp(),
    },
    t => [
      kit.check('points_accounts_balance_not_negative', sql`${t.balance} >= 0`),
      kit.check('points_accounts_balance_exact', sql`${t.balance} <= 9007199254740991`),
      kit.check('points_accounts_lifetime_exact', sql`${t.lifetime} between 0 and 9007199254740991`),
    ],
  )

  /** The append-only ledger: triggers refuse UPDATE, and DELETE except by the archive (hand-written migrations). */
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
      // The ref first: those of events grow with time, so new entries fill the same pages.
      kit.uniqueIndex('points_entries_ref_user_reason_unique').on(t.ref, t.userId, t.reason),
      kit.check('points_entries_delta_not_zero', sql`${t.delta} <> 0`),
      kit.check('points_entries_balance_not_negative', sql`${t.balanceAfter} >= 0`),
    ],
  )

  /**
   * Where the archived past of a fan ends: of the entries up to `seq` and the events up to `sequence`, some are in files. The rows of the
   * fan are verified from here on.
   */
  const archiveSeams = table('archive_seams', {
    userId: idOf(users).primaryKey(),
    /** JSON: the ids of the files with lines of the fan, oldest first. */
    files: text().notNull(),
    until: timestamp().notNull(),
    /** The last archived entry, and the account after it. 0 if no entry is archived. */
    seq: integer().notNull(),
    hash: text().notNull(),
    balance: integer().notNull(),
    lifetime: integer().notNull(),
    /** The last archived event, with the events that are folded into it. */
    sequence: integer().notNull(),
    /** Entries up to `seq` and events up to `sequence` that are not archived. */
    keptEntries: integer().notNull(),
    keptEvents: integer().notNull(),
    /** JSON: what the archived rows add to scores, unspent points, limits and budgets. */
    state: text().notNull(),
    /** SHA-256 of the lines of the fan in the newest file. */
    digest: text().notNull(),
    /** Decrypts the lines of the fan. An erasure deletes it. */
    key: text(),
    /** False only within a unit of work that archives or restores: then triggers let it delete archived entries. */
    sealed: boolean().notNull(),
  })

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
      /** Of an entry in an account; null for the points that fans spend. */
      accountId: id(),
      /** Not part of the ledger, so that an erasure can delete it. */
      note: text(),
      createdAt: timestamp().notNull(),
    },
    t => [kit.index('points_grants_user').on(t.userId)],
  )

  /**
   * Points that are held for a purchase until it is paid, is cancelled or expires. They stay in the balance. Expiry is not
   * stored: a hold has ended from `expiresAt` on.
   */
  const pointsHolds = table(
    'points_holds',
    {
      purchaseId: id().primaryKey(),
      userId: idOf(users),
      amount: integer().notNull(),
      expiresAt: timestamp().notNull(),
    },
    t => [
      kit.index('points_holds_user').on(t.userId),
      kit.check('points_holds_amount_positive', sql`${t.amount} > 0`),
    ],
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

  return {
    pointsAccounts,
    pointsEntries,
    archiveSeams,
    pointsGrants,
    pointsHolds,
    pointsExpiry,
  }
}

export const fanData = {
  pointsAccounts: {
    userId: { export: 'points', erasure: 'keep', merge: { rule: 'the balance is carried over' } },
  },
  pointsEntries: { userId: { export: 'points', erasure: 'keep', merge: 'stay' } },
  archiveSeams: { userId: { export: 'points', erasure: { clear: ['key'] }, merge: 'stay' } },
  pointsGrants: { userId: { export: 'points', erasure: { clear: ['note'] }, merge: 'stay' } },
  pointsHolds: { userId: { export: 'points', erasure: 'delete', merge: 'move' } },
} satisfies FanData<ReturnType<typeof definePointsTables>>
