/** Rewards, claims and redemptions. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineRewardsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** Rewards that fans can claim. The importer sets the id, a slug. */
  const rewards = table(
    'rewards',
    {
      id: id().primaryKey(),
      title: text().notNull(),
      description: text().notNull(),
      imageUrl: text(),
      itemType: text().notNull(),
      /** Who supports it: a sponsor of the catalogue, in the figures of the season. */
      sponsorId: id(),
      /** JSON: the texts that exist in several languages. Their columns have the default. */
      translations: text(),
      pointsRequired: integer().notNull(),
      active: boolean().notNull(),
      startsAt: timestamp(),
      endsAt: timestamp(),
      /** Null: unlimited. */
      stockRemaining: integer(),
      /** JSON: the tokens that a fan must hold; null: none. */
      requiredHolding: text(),
      /** JSON: what else a fan must meet; null: nothing. */
      requires: text(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.index('rewards_active_order').on(t.active, t.pointsRequired, t.id),
      kit.check('rewards_points_not_negative', sql`${t.pointsRequired} >= 0`),
      kit.check('rewards_stock_not_negative', sql`${t.stockRemaining} >= 0`),
    ],
  )

  /** A claim and its redemption. The primary key enforces one claim per fan and reward. */
  const userRewards = table(
    'user_rewards',
    {
      userId: idOf(users),
      rewardId: idOf(rewards),
      claimedAt: timestamp().notNull(),
      redeemedAt: timestamp(),
      redemptionCode: id(),
      /** Time and source of the use of the code. */
      usedAt: timestamp(),
      usedBy: text(),
    },
    t => [
      kit.primaryKey({ name: 'user_rewards_pk', columns: [t.userId, t.rewardId] }),
      // Only rows with a code: index entries for all claims would take a third of the CPU time of a claim on SQLite.
      kit
        .uniqueIndex('user_rewards_redemption_code_unique')
        .on(t.redemptionCode)
        .where(sql`${t.redemptionCode} is not null`),
      kit.check(
        'user_rewards_code_with_redemption',
        sql`(${t.redeemedAt} is null) = (${t.redemptionCode} is null)`,
      ),
    ],
  )

  return { rewards, userRewards }
}

export const fanData = {
  userRewards: {
    userId: {
      export: 'rewards',
      erasure: { replace: ['redemptionCode'] },
      merge: {
        rule: 'of two claims of a reward the one that is further stays; the other ends, and its unit returns to the stock unless it was used',
      },
    },
  },
} satisfies FanData<ReturnType<typeof defineRewardsTables>>
