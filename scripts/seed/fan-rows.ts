/**
 * Computes the rows of a fan without a database, with the rules of the verbs in their order, so that a seed gives exactly
 * the rows that the verbs write. `test/scripts/seed` compares both.
 */

import type { Stage } from '../../mock-idp/users/stages.ts'
import type { Fan } from '../../mock-idp/users/user.ts'
import { isActive } from '../../src/club/catalogue/availability.ts'
import type { RotatedKeys } from '../../src/core/encryption.ts'
import { normalizeProfile } from '../../src/fan/profile/rules.ts'
import { nameKeyChange, searchKeysOf } from '../../src/identity/users/search-keys.ts'
import { parseClaims } from '../../src/platform/identity-provider/claims.ts'
import { drawItems, inOrderOfIds } from '../../src/play/packs/draw.ts'
import { openingOf } from '../../src/play/packs/open-pack.ts'
import { saleOf } from '../../src/play/packs/purchase-kind.ts'
import { preparePurchase } from '../../src/play/packs/start-purchase.ts'
import type { PredictionPoints } from '../../src/play/predictions/score.ts'
import { mintRedemptionCode } from '../../src/play/rewards/redemption-code.ts'
import {
  drawClaimAttempts,
  drawJoinsLeaderboard,
  drawOpening,
  drawProfile,
  drawPurchases,
  drawVisits,
  ONBOARDING_MS,
  visitShareOf,
} from './draws.ts'
import { createRecorder, type Recorder } from './event-rows.ts'
import { createLedger, type Ledger } from './ledger-rows.ts'
import { addMatchDays } from './match-rows.ts'
import { addOrders, type Till } from './order-rows.ts'
import type { Rows } from './rows.ts'
import { addCompletedSets } from './set-rows.ts'
import type { SeedSources } from './sources.ts'
import type { Supply } from './supply.ts'

export interface FanRowTerms {
  /** `IDP_NAME` and `IDP_ISSUER` of the provider of the fans. */
  provider: { name: string; issuer: string }
  onboardingPoints: number
  /** For the results that the seed writes. */
  predictionPoints: PredictionPoints
  /** The signing keys, from which those of addresses and of receipts are derived. */
  nativeTokens: RotatedKeys
}

/** The first draws of a fan, which determine the id of the record. */
export function drawRecord(fan: Fan, sources: SeedSources) {
  return { createdAt: sources.now(), drawn: drawProfile(fan, sources), id: sources.newId() }
}

/** Adds the rows of one fan and decreases the supply accordingly. */
export function addFanRows(
  rows: Rows,
  fan: Fan,
  stage: Exclude<Stage, 'new'>,
  { sources, supply, terms, till, handleTaken, number }: FanRowContext,
): void {
  const { id, createdAt, drawn } = drawRecord(fan, sources)
  const profile = normalizeProfile(drawn, '')
  if (handleTaken) profile.handle = null
  const { name: provider, issuer } = terms.provider
  rows.users.push({
    id,
    provider,
    subject: fan.sub,
    createdAt,
    updatedAt: createdAt,
    ...profile,
    ...nameKeyChange(profile),
  })
  if (stage === 'profile') return

  sources.pass(ONBOARDING_MS)
  const now = sources.now()
  const points = createLedger(rows, id, sources)
  const picture = `${issuer}/avatars/${fan.sub}.png`
  const statement = { statedAt: now, now, complete: true }
  const { claims } = parseClaims(fan.sub, { ...fan, picture }, statement)
  const { subject: _, ...mirrored } = claims
  const joins = drawJoinsLeaderboard(sources)
  rows.identities.push({
    userId: id,
    ...mirrored,
    ...searchKeysOf(mirrored),
    syncedAt: now,
  })
  rows.onboardings.push({ userId: id, completedAt: now })
  const { onboardingPoints } = terms
  if (onboardingPoints > 0) points.book({ delta: onboardingPoints, reason: 'onboarding', ref: 'onboarding' })
  const { record, recordVisit, voidLatest, close } = createRecorder(
    rows,
    { userId: id, locale: profile.locale ?? null },
    points,
    sources,
    supply,
  )
  record('onboarding.completed', { points: onboardingPoints })
  if (joins) points.join()

  if (stage !== 'onboarded') {
    for (const visit of drawVisits(sources, visitShareOf(stage))) recordVisit(visit)
    let owned = new Set<string>()
    if (stage === 'collector') owned = addPacks(rows, id, points, record, sources, supply)
    else if (stage === 'active') {
      const fan = { userId: id, teamId: drawn.favoriteTeamId, points, record, recordVisit, sources }
      addMatchDays(rows, fan, supply.rounds)
    } else addClaims(rows, id, points.balance(), record, sources, supply, stage === 'redeemed')
    if (number !== null)
      addOrders(
        { rows, userId: id, points, record, voidLatest, sources, supply, till },
        { fan, country: drawn.country, number },
      )
    if (stage === 'collector')
      addCompletedSets(rows, { userId: id, owned, points, record, sources }, supply.sets)
  }
  close()
  points.close()
}

export interface FanRowContext {
  sources: SeedSources
  supply: Supply
  terms: FanRowTerms
  till: Till
  /** The result of `shopperNumberOf`. */
  number: number | null
  /** Another fan has the handle, so this fan gets none. */
  handleTaken: boolean
}

/** Claims the drawn rewards that are affordable and in stock. */
function addClaims(
  rows: Rows,
  userId: string,
  balance: number,
  record: Recorder,
  sources: SeedSources,
  supply: Supply,
  redeem: boolean,
) {
  for (const rewardId of drawClaimAttempts(sources)) {
    const reward = supply.rewards.get(rewardId)
    const now = sources.now()
    if (!reward || !isActive(reward, now) || balance < reward.pointsRequired) continue
    if (reward.stockRemaining === 0) continue
    record('reward.claimed', { rewardId })
    if (reward.stockRemaining !== null) reward.stockRemaining--
    const redemption = redeem
      ? { redeemedAt: now, redemptionCode: mintRedemptionCode(sources.randomBytes(10)) }
      : {}
    if (redeem) record('reward.redeemed', { rewardId })
    rows.userRewards.push({ userId, rewardId, claimedAt: now, ...redemption })
  }
}

/** Buys one or two packs with points and opens most of them. Returns the ids of the drawn collectibles. */
function addPacks(
  rows: Rows,
  userId: string,
  points: Ledger,
  record: Recorder,
  sources: SeedSources,
  supply: Supply,
): Set<string> {
  const owned = new Set<string>()
  for (const packId of drawPurchases(sources)) {
    const now = sources.now()
    const onSale = supply.packs.get(packId)
    if (!onSale || !isActive(onSale.pack, now) || onSale.free < 1) continue
    const { pack, weights } = onSale
    if (pack.priceCurrency !== 'POINTS' || points.balance() < pack.priceAmount) continue

    onSale.free--
    const purchase = preparePurchase(sources, { pack, weights, userId, now })
    rows.packPurchases.push({ ...purchase, status: 'completed', completedAt: now })
    if (pack.priceAmount > 0) {
      points.book({ delta: -pack.priceAmount, reason: 'pack_purchase', ref: purchase.id })
    }
    const userPackId = sources.newId()
    record('purchase.completed', { ...saleOf(purchase), userPackId })
    const clientSeed = drawOpening(sources)
    const openedAt = clientSeed === null ? null : now
    rows.userPacks.push({
      id: userPackId,
      purchaseId: purchase.id,
      packId,
      userId,
      createdAt: now,
      openedAt,
      clientSeed,
    })
    if (clientSeed === null) continue
    const { itemsPerPack } = pack
    const drawn = drawItems({
      serverSeed: purchase.serverSeed,
      clientSeed,
      userPackId,
      itemsPerPack,
      weights,
    })
    record('pack.opened', openingOf({ userPackId, packId, items: drawn, weights }))
    for (const [position, collectibleId] of inOrderOfIds(drawn)) {
      rows.userItems.push({ userPackId, position, userId, collectibleId, createdAt: now })
      owned.add(collectibleId)
    }
  }
  return owned
}
