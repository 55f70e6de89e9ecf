/**
 * Redeems a code: each generated code once, at most `perFan` of a campaign by a fan, and at most `total` by all. A redemption is
 * final: staff undo what it gave, as a claim or a sealed pack, and never the redemption. A merge moves it to the fan who remains.
 */
import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { isActive } from '../../club/catalogue/availability.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { appendEntry } from '../../economy/points/ledger.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import { requireEligible } from '../eligibility/eligibility.ts'
import { requiresOf } from '../eligibility/requires.ts'
import { giveCollectible } from '../packs/give-collectible.ts'
import { canGivePacks, givePacks } from '../packs/give-packs.ts'
import { packProblems } from '../packs/problems.ts'
import { giveReward } from '../rewards/give-reward.ts'
import { rewardProblems } from '../rewards/problems.ts'
import { findUserReward } from '../rewards/rewards.ts'
import type { CampaignRow } from './campaign-kind.ts'
import { hashOfCode, normalizeCode } from './code.ts'
import { type Gives, parseGives } from './entry-schema.ts'
import { codeProblems } from './problems.ts'
import type { RedeemCode } from './schema.ts'

export async function redeemCode(tx: Transaction, { userId }: Caller, { code }: RedeemCode) {
  const now = tx.now()
  const normalized = normalizeCode(code)
  const found = normalized === null ? undefined : await findCode(tx, hashOfCode(normalized))
  if (!found) throw new DomainError(codeProblems.code_not_found)
  const { campaign, codeHash, isUnique } = found
  if (!isActive(campaign, now) || isExhausted(campaign)) throw new DomainError(codeProblems.campaign_over)

  // The count below is exact: units of work of the fan wait for each other here.
  await lockToCount(tx, userId)
  const own = await selectOwn(tx, userId, campaign.id)
  const isRepeat = own.some(redemption => redemption.codeHash === codeHash)
  // A shared code can be entered `perFan` times.
  if (isRepeat && (isUnique || campaign.perFan === 1)) throw new DomainError(rewardProblems.already_redeemed)
  if (found.redeemedAt) throw new DomainError(codeProblems.code_used)
  await requireEligible(tx, { userId }, { requires: requiresOf(campaign) })
  if (own.length >= campaign.perFan) throw new DomainError(rewardProblems.limit_reached, {})

  // Of concurrent redemptions the condition lets one pass.
  if (isUnique && (await takeCode(tx, codeHash, now)).length === 0)
    throw new DomainError(codeProblems.code_used)
  const redemptionId = tx.newId()
  const gave = parseGives(campaign.gives)
  await give(tx, { userId, redemptionId }, gave)
  await insertRedemption(tx, {
    id: redemptionId,
    campaignId: campaign.id,
    userId,
    codeHash,
    isUnique,
    gave: JSON.stringify(gave),
    redeemedAt: now,
  })
  const data = { campaignId: campaign.id, redemptionId, ...gave }
  await recordEvent(tx, { userId, type: 'code.redeemed', data })
  // Last, because all redemptions of a campaign share its row. Staff may have changed it since it was read.
  const [counted] = await countRedemption(tx, campaign.id)
  if (!counted || !isActive(counted, now)) throw new DomainError(codeProblems.campaign_over)
  if (own.length >= counted.perFan) throw new DomainError(rewardProblems.limit_reached, {})
  return { campaignId: campaign.id, gave }
}

const isExhausted = ({ total, redeemed }: CampaignRow) => total !== null && redeemed >= total

interface FoundCode {
  campaign: CampaignRow
  codeHash: string
  isUnique: boolean
  redeemedAt: Date | null
}

async function findCode(reader: Reader, codeHash: string): Promise<FoundCode | undefined> {
  const generated = await findGenerated(reader, codeHash)
  if (generated) return { ...generated, codeHash, isUnique: true }
  const campaign = await findShared(reader, codeHash)
  return campaign && { campaign, codeHash, isUnique: false, redeemedAt: null }
}

const findGenerated = preparedRow((reader: Reader, codeHash: string) => {
  const { campaigns, campaignCodes } = reader.tables
  return reader
    .select({ campaign: campaigns, redeemedAt: campaignCodes.redeemedAt })
    .from(campaignCodes)
    .innerJoin(campaigns, eq(campaigns.id, campaignCodes.campaignId))
    .where(and(eq(campaignCodes.hash, codeHash), isNull(campaignCodes.voidedAt)))
})

const findShared = preparedRow((reader: Reader, codeHash: string) => {
  const { campaigns } = reader.tables
  return reader.select().from(campaigns).where(eq(campaigns.codeHash, codeHash))
})

const selectOwn = prepared((reader: Reader, userId: string, campaignId: string) => {
  const { codeRedemptions: redemptions } = reader.tables
  return reader
    .select({ codeHash: redemptions.codeHash })
    .from(redemptions)
    .where(and(eq(redemptions.userId, userId), eq(redemptions.campaignId, campaignId)))
})

const takeCode = prepared((tx: Transaction, codeHash: string, redeemedAt: Date) => {
  const { campaignCodes } = tx.tables
  const { hash, voidedAt } = campaignCodes
  return tx
    .update(campaignCodes)
    .set({ redeemedAt })
    .where(and(eq(hash, codeHash), isNull(campaignCodes.redeemedAt), isNull(voidedAt)))
    .returning({ hash })
})

/** Returns no row if the total is reached. */
const countRedemption = prepared((tx: Transaction, campaignId: string) => {
  const { campaigns } = tx.tables
  const { id, redeemed, total, perFan, active, startsAt, endsAt } = campaigns
  return tx
    .update(campaigns)
    .set({ redeemed: sql`${redeemed} + 1` })
    .where(and(eq(id, campaignId), or(isNull(total), gt(total, redeemed))))
    .returning({ perFan, active, startsAt, endsAt })
})

const insertRedemption = prepared((tx: Transaction, row: Tables['codeRedemptions']['$inferInsert']) =>
  tx.insert(tx.tables.codeRedemptions).values(row),
)

/** Points come first, as everywhere: each unit of work locks the account of the fan before what fans share. */
async function give(
  tx: Transaction,
  { userId, redemptionId }: { userId: string; redemptionId: string },
  { points, account: accountId, rewardId, packId, collectibleId }: Gives,
): Promise<void> {
  if (points !== null)
    await appendEntry(tx, { userId, delta: points, reason: 'code', ref: redemptionId, accountId })
  if (rewardId !== null && !(await giveReward(tx, userId, rewardId))) {
    if (await findUserReward(tx, userId, rewardId)) throw new DomainError(rewardProblems.already_claimed)
    throw new DomainError(rewardProblems.out_of_stock, {})
  }
  if (packId !== null) {
    if (!(await canGivePacks(tx, packId, 1))) throw new DomainError(packProblems.sold_out)
    await givePacks(tx, { packId, userId, count: 1 })
  }
  if (collectibleId !== null)
    await giveCollectible(tx, { userId, collectibleId, givenFor: `code:${redemptionId}` })
}

/** What a fan redeemed. */
export async function exportRedemptions(reader: Reader, userId: string) {
  const { codeRedemptions } = reader.tables
  const { id, campaignId, gave, redeemedAt } = codeRedemptions
  const rows = await reader
    .select({ id, campaignId, gave, redeemedAt })
    .from(codeRedemptions)
    .where(eq(codeRedemptions.userId, userId))
    .orderBy(asc(redeemedAt), asc(id))
  return rows.map(row => ({ ...row, gave: parseGives(row.gave) }))
}
