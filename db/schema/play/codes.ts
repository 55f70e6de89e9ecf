/** Campaigns of codes, the codes that are generated for them, and what fans redeemed. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineCodesTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** The importer sets the id, a slug. */
  const campaigns = table(
    'campaigns',
    {
      id: id().primaryKey(),
      name: text().notNull(),
      /** JSON: the texts that exist in several languages. Their columns have the default. */
      translations: text(),
      /** `shared`: one code for all fans. `unique`: generated codes, each for one fan. */
      kind: text().notNull(),
      /** The shared code, as the club writes it. */
      code: text(),
      /** Hash of the shared code in its normal form. */
      codeHash: id(),
      /** JSON: what a code gives. */
      gives: text().notNull(),
      /** JSON: what a fan must meet; null: nothing. */
      requires: text(),
      perFan: integer().notNull(),
      /** Redemptions of all fans together; null: no limit. */
      total: integer(),
      /** Redemptions until now, also of erased fans. */
      redeemed: integer().notNull(),
      startsAt: timestamp(),
      endsAt: timestamp(),
      active: boolean().notNull(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.uniqueIndex('campaigns_code_unique').on(t.codeHash).where(sql`${t.codeHash} is not null`),
      kit.check('campaigns_kind_known', sql`${t.kind} in ('shared', 'unique')`),
      kit.check('campaigns_code_if_shared', sql`(${t.kind} = 'shared') = (${t.codeHash} is not null)`),
      kit.check('campaigns_per_fan_positive', sql`${t.perFan} >= 1`),
      kit.check('campaigns_redeemed_not_negative', sql`${t.redeemed} >= 0`),
    ],
  )

  /** Generated codes. Only their hashes are stored: the file of the codes is the only place where they stand. */
  const campaignCodes = table(
    'campaign_codes',
    {
      hash: id().primaryKey(),
      campaignId: idOf(campaigns),
      createdAt: timestamp().notNull(),
      /** A code is redeemed once, or voided before. */
      redeemedAt: timestamp(),
      voidedAt: timestamp(),
    },
    t => [
      // Finds the unused codes of a campaign.
      kit.index('campaign_codes_campaign').on(t.campaignId, t.hash),
      kit.check('campaign_codes_used_or_voided', sql`${t.redeemedAt} is null or ${t.voidedAt} is null`),
    ],
  )

  const codeRedemptions = table(
    'code_redemptions',
    {
      id: id().primaryKey(),
      campaignId: idOf(campaigns),
      userId: idOf(users),
      codeHash: id().notNull(),
      /** Whether the code was generated for one fan. */
      isUnique: boolean().notNull(),
      /** JSON: what the code gave. */
      gave: text().notNull(),
      redeemedAt: timestamp().notNull(),
    },
    t => [
      // A generated code is redeemed once.
      kit.uniqueIndex('code_redemptions_code_unique').on(t.codeHash).where(sql`${t.isUnique}`),
      kit.index('code_redemptions_fan').on(t.userId, t.campaignId),
      kit.index('code_redemptions_campaign').on(t.campaignId, t.redeemedAt),
    ],
  )

  return { campaigns, campaignCodes, codeRedemptions }
}

export const fanData = {
  codeRedemptions: {
    userId: { export: 'redeemedCodes', erasure: 'keep', merge: 'move' },
  },
} satisfies FanData<ReturnType<typeof defineCodesTables>>
