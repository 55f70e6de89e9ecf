/** Executes a seed with the verbs of the API, fan by fan: the slow reference for the bulk writer. */

import { and, eq } from 'drizzle-orm'
import pino from 'pino'
import { createEndOfWork } from '../../db/end-of-work.ts'
import type { Database, Transaction } from '../../db/index.ts'
import { walkFans } from '../../mock-idp/users/generate-fans.ts'
import { type Stage, stageOf } from '../../mock-idp/users/stages.ts'
import type { Fan } from '../../mock-idp/users/user.ts'
import { readCalendar } from '../../scripts/seed/calendar.ts'
import { seedCup } from '../../scripts/seed/cup.ts'
import { drawOrders, type OrderStep, shopperNumberOf, stepsUntilNow } from '../../scripts/seed/demo-orders.ts'
import { seedDivisions } from '../../scripts/seed/divisions.ts'
import {
  drawClaimAttempts,
  drawJoinsLeaderboard,
  drawOpening,
  drawProfile,
  drawPurchases,
  drawVisits,
  ONBOARDING_MS,
  type Visit,
  visitShareOf,
} from '../../scripts/seed/draws.ts'
import { createTill } from '../../scripts/seed/groups.ts'
import { seedLeagues } from '../../scripts/seed/leagues.ts'
import { drawMatchDays, type MatchAction, type Round, readRounds } from '../../scripts/seed/match-days.ts'
import type { Till } from '../../scripts/seed/order-rows.ts'
import { seedQuestions } from '../../scripts/seed/questions.ts'
import { seedRights } from '../../scripts/seed/rights.ts'
import type { SeedOptions } from '../../scripts/seed/seed.ts'
import { seedCatalogue } from '../../scripts/seed/seed-catalogue.ts'
import { seedSociety } from '../../scripts/seed/society.ts'
import { createSeedSources, type SeedSources } from '../../scripts/seed/sources.ts'
import type { Caller } from '../../src/core/caller.ts'
import { DomainError } from '../../src/core/problems.ts'
import { writeEvent } from '../../src/economy/events/record-event.ts'
import { completeOnboarding } from '../../src/fan/onboarding/onboarding.ts'
import { upsertProfile } from '../../src/fan/profile/profile.ts'
import { PURCHASE_KINDS } from '../../src/operate/admin/refunds/refund-purchase.ts'
import { parseClaims } from '../../src/platform/identity-provider/claims.ts'
import { checkIn } from '../../src/play/check-ins/check-in.ts'
import { createCheckInCodes } from '../../src/play/check-ins/code.ts'
import { openPack } from '../../src/play/packs/open-pack.ts'
import { completePurchase } from '../../src/play/packs/pay.ts'
import { startPurchase } from '../../src/play/packs/start-purchase.ts'
import { writePrediction } from '../../src/play/predictions/predict.ts'
import type { PredictionPoints } from '../../src/play/predictions/score.ts'
import { settleBatch } from '../../src/play/predictions/settle-batch.ts'
import type { Payment } from '../../src/play/purchases/means.ts'
import { chargeOf, needsMoney } from '../../src/play/purchases/purchase.ts'
import { refund } from '../../src/play/purchases/refund.ts'
import { claimReward } from '../../src/play/rewards/claim.ts'
import { redeemReward } from '../../src/play/rewards/redeem.ts'
import { changeLine } from '../../src/play/shop/change-line.ts'
import { startCheckout } from '../../src/play/shop/checkout.ts'
import { orderKind } from '../../src/play/shop/order-kind.ts'
import type { Cart } from '../../src/play/shop/order-schema.ts'
import { cancelOrder, completeOrder } from '../../src/play/shop/pay-order.ts'
import { noteExpiry } from '../../src/play/shop/sweep-orders.ts'
import { writerOf } from './writer.ts'

export async function seedByVerbs(db: Database, options: SeedOptions): Promise<void> {
  await db.write(tx => seedCatalogue(tx, options.predictionPoints, options.instant))
  const rounds = await readRounds(db.read)
  const sourcesOf = createSeedSources(options.seed, await readCalendar(db.read, db.read.now()))
  let index = 0
  for (const fan of walkFans({ seed: options.seed, count: options.fans })) {
    const at = index++
    const stage = stageOf(at)
    if (stage === 'new') continue
    await db.write(async real => {
      // The same draws in each attempt.
      const sources = sourcesOf(at)
      // Its own end, at the time of the sources.
      const { deferred, writeDeferred } = createEndOfWork()
      const tx = Object.assign(Object.create(real), sources, { deferred }) as Transaction
      await seedFan(tx, fan, stage, sources, options, rounds, shopperNumberOf(at))
      for (const { run } of await writeDeferred(tx)) await run()
    })
  }
  // These are written by the verbs.
  await seedLeagues(db, options)
  await seedSociety(db, options)
  await seedCup(db, options)
  await seedRights(db, options)
  await seedQuestions(db, options)
  await seedDivisions(db, options)
}

async function seedFan(
  tx: Transaction,
  fan: Fan,
  stage: Stage,
  sources: SeedSources,
  { provider: { name, issuer }, onboardingPoints: points, predictionPoints, nativeTokens }: SeedOptions,
  rounds: Round[],
  number: number | null,
) {
  const identity = { provider: name, subject: fan.sub }
  const profile = drawProfile(fan, sources)
  const first = await writerOf(tx, identity)
  await upsertProfile(tx, first, profile)
  const caller: Caller = { ...first, isNew: false }
  if (stage === 'profile') return
  sources.pass(ONBOARDING_MS)
  const picture = `${issuer}/avatars/${fan.sub}.png`
  const now = sources.now()
  const { claims } = parseClaims(fan.sub, { ...fan, picture }, { statedAt: now, now, complete: true })
  const joinLeaderboard = drawJoinsLeaderboard(sources)
  await completeOnboarding(tx, caller, { joinLeaderboard }, { points, claims, queuedSync: null })
  if (stage === 'onboarded') return

  for (const visit of drawVisits(sources, visitShareOf(stage))) await recordVisit(tx, caller, visit)
  if (stage === 'active') {
    const actions = drawMatchDays(sources, profile.favoriteTeamId, rounds)
    for (const action of actions) await actOnMatch(tx, caller, action, predictionPoints)
  } else if (stage === 'collector') await buyPacks(tx, caller, sources)
  else await claimRewards(tx, caller, sources, stage === 'redeemed')
  if (number === null) return
  const till = createTill(nativeTokens)
  for (const order of drawOrders(sources, { fan, country: profile.country, number }))
    await orderOnce(tx, caller, order, sources, till)
}

async function recordVisit(tx: Transaction, { userId }: Caller, visit: Visit): Promise<void> {
  await writeEvent(tx, { ...visit, userId, occurredAt: tx.now() })
}

const codes = createCheckInCodes('any secret')

/** The seed writes a match with its result, and then nobody can predict it. So the match is not played yet when the fan predicts. */
async function actOnMatch(
  tx: Transaction,
  caller: Caller,
  action: MatchAction,
  points: PredictionPoints,
): Promise<void> {
  if (action.kind === 'visit') return recordVisit(tx, caller, action.visit)
  const { matches, matchSettlements } = tx.tables
  const { id, status, homeScore, awayScore } = action.match
  const isMatch = eq(matches.id, id)
  if (action.kind === 'check in') {
    await checkIn(tx, caller, codes.issue(id, tx.now()), codes)
  } else if (action.kind === 'predict') {
    await tx.update(matches).set({ status: 'scheduled', homeScore: null, awayScore: null }).where(isMatch)
    await writePrediction(tx, caller, id, action.scores)
    await tx.update(matches).set({ status, homeScore, awayScore }).where(isMatch)
  } else {
    const isSettlement = eq(matchSettlements.matchId, id)
    await tx
      .update(matchSettlements)
      .set({ dueAt: new Date(0) })
      .where(isSettlement)
    await settleBatch(tx, id, points, 100)
    await tx.update(matchSettlements).set(action.settlement).where(isSettlement)
  }
}

async function claimRewards(tx: Transaction, caller: Caller, sources: SeedSources, redeem: boolean) {
  for (const rewardId of drawClaimAttempts(sources)) {
    try {
      await claimReward(tx, caller, { rewardId })
      if (redeem) await redeemReward(tx, caller, { rewardId })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      // In a route, the error would roll back the unit of work; here it continues.
      if (error.code === 'out_of_stock') await undoClaim(tx, caller, rewardId)
    }
  }
}

async function undoClaim(tx: Transaction, { userId }: Caller, rewardId: string) {
  const { userRewards } = tx.tables
  await tx.delete(userRewards).where(and(eq(userRewards.userId, userId), eq(userRewards.rewardId, rewardId)))
}

const log = pino({ level: 'silent' })

async function orderOnce(
  tx: Transaction,
  caller: Caller,
  { lines, address, steps }: Cart & { steps: OrderStep[] },
  sources: SeedSources,
  { addressEncryption: encryption, sandbox }: Till,
) {
  const options = {
    encryption,
    openOrdersPerFan: 5,
    heldUnitsPerFan: 0,
    orderAddressRetentionDays: 0,
    paidPacks: true,
    sellsFiles: true,
  }
  const started = await startCheckout(tx, caller, { lines, address }, options).catch(error => {
    if (!(error instanceof DomainError)) throw error
  })
  if (!started) return
  const { order } = started
  for (const step of stepsUntilNow(sources, steps)) {
    if (step.does === 'cancel') await cancelOrder(tx, caller, order.id)
    else if (step.does === 'expire') await noteExpiry(tx, order.id)
    else if (step.does === 'refund') await refund(tx, orderKind, order.id)
    else if (step.does === 'change') await changeLine(tx, order.id, step.line, step.change)
    else {
      const payment: Payment = needsMoney(order)
        ? { kind: 'money', reference: sandbox.issueReceipt(chargeOf(order), 'paid', tx.newId()) }
        : { kind: 'own' }
      await completeOrder(tx, { log, purchaseKinds: PURCHASE_KINDS }, caller, { orderId: order.id }, payment)
    }
  }
}

async function buyPacks(tx: Transaction, caller: Caller, sources: SeedSources) {
  for (const packId of drawPurchases(sources)) {
    try {
      const purchase = await startPurchase(tx, caller, { packId }, { packHoldsPerFan: 0, paidPacks: true })
      const completion = await completePurchase(tx, PURCHASE_KINDS, purchase.id, { kind: 'own' })
      const userPackId = completion.outcome === 'completed' ? completion.purchase.userPack?.id : undefined
      const clientSeed = drawOpening(sources)
      if (userPackId && clientSeed !== null) await openPack(tx, caller, { userPackId, clientSeed })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
    }
  }
}
