/**
 * Computes the rows of a fan without a database, with the rules of the verbs in their order, so that a seed gives exactly
 * the rows that the verbs write. `test/scripts/seed` compares both.
 */
import type { Tables } from '../../db/index.ts'
import type { Fan } from '../../mock-idp/users/user.ts'
import { isActive } from '../../src/catalogue/availability.ts'
import { parseClaims } from '../../src/identity-provider/claims.ts'
import { boardsAt } from '../../src/leaderboard/boards.ts'
import { hashEnrolment } from '../../src/leaderboard/enrolment.ts'
import type { BoardScore } from '../../src/leaderboard/rank-index/rank-index.ts'
import { raiseScore } from '../../src/leaderboard/scores.ts'
import { drawItems, inOrderOfIds } from '../../src/packs/draw.ts'
import { preparePurchase } from '../../src/packs/start-purchase.ts'
import { type Account, NEW_ACCOUNT, nextEntry, type PointsChange } from '../../src/points/ledger.ts'
import { normalizeProfile } from '../../src/profile/rules.ts'
import { mintRedemptionCode } from '../../src/rewards/redemption-code.ts'
import {
  drawClaimAttempts,
  drawJoinsLeaderboard,
  drawOpening,
  drawProfile,
  drawPurchases,
  drawVisits,
  ONBOARDING_MS,
  type Stage,
} from './draws.ts'
import type { SeedSources } from './sources.ts'
import type { Supply } from './supply.ts'

type Row<Name extends keyof Tables> = Tables[Name]['$inferInsert']

/** The rows of fans. Items get their serial numbers when they are written. */
export interface Rows {
  users: Row<'users'>[]
  identities: Row<'identities'>[]
  onboardings: Row<'onboardings'>[]
  pointsAccounts: Row<'pointsAccounts'>[]
  pointsEntries: Row<'pointsEntries'>[]
  leaderboardEntries: Row<'leaderboardEntries'>[]
  places: (BoardScore & { userId: string })[]
  userRewards: Row<'userRewards'>[]
  packPurchases: Row<'packPurchases'>[]
  userPacks: Row<'userPacks'>[]
  userItems: Omit<Row<'userItems'>, 'serialNumber'>[]
}

export const noRows = (): Rows => ({
  users: [],
  identities: [],
  onboardings: [],
  pointsAccounts: [],
  pointsEntries: [],
  leaderboardEntries: [],
  places: [],
  userRewards: [],
  packPurchases: [],
  userPacks: [],
  userItems: [],
})

export interface FanRowTerms {
  /** `IDP_NAME` and `IDP_ISSUER` of the provider of the fans. */
  provider: { name: string; issuer: string }
  onboardingPoints: number
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
  { sources, supply, terms, handleTaken }: FanRowContext,
): void {
  const { id, createdAt, drawn } = drawRecord(fan, sources)
  const profile = normalizeProfile(drawn, '')
  if (handleTaken) profile.handle = null
  const { name: provider, issuer } = terms.provider
  rows.users.push({ id, provider, subject: fan.sub, createdAt, updatedAt: createdAt, ...profile })
  if (stage === 'profile') return

  sources.pass(ONBOARDING_MS)
  const now = sources.now()
  const points = createLedger(rows, id, sources)
  const picture = `${issuer}/avatars/${fan.sub}.svg`
  const statement = { statedAt: now, now, complete: true }
  const { claims } = parseClaims(fan.sub, { ...fan, picture }, statement)
  const { subject: _, ...mirrored } = claims
  const joins = drawJoinsLeaderboard(sources)
  rows.identities.push({ userId: id, ...mirrored, syncedAt: now })
  rows.onboardings.push({ userId: id, completedAt: now })
  const { onboardingPoints } = terms
  if (onboardingPoints > 0) points.book({ delta: onboardingPoints, reason: 'onboarding', ref: 'onboarding' })
  if (joins) points.join()

  if (stage !== 'onboarded') {
    for (const visit of drawVisits(sources)) points.book(visit)
    if (stage === 'collector') addPacks(rows, id, points, sources, supply)
    else if (stage !== 'active') addClaims(rows, id, points.balance(), sources, supply, stage === 'redeemed')
  }
  points.close()
}

export interface FanRowContext {
  sources: SeedSources
  supply: Supply
  terms: FanRowTerms
  /** Another fan has the handle: this fan gets none. */
  handleTaken: boolean
}

type Ledger = ReturnType<typeof createLedger>

/** The account of a fan, and the leaderboard scores after joining. */
function createLedger(rows: Rows, userId: string, sources: SeedSources) {
  let account: Account | undefined
  let places: Map<string, BoardScore> | undefined

  function raise(at: Date, gained: number) {
    for (const { id } of boardsAt(at)) places?.set(id, raiseScore(id, places.get(id), { gained, at }))
  }

  return {
    balance: () => account?.balance ?? 0,
    /** The balance must be sufficient. */
    book(change: Omit<PointsChange, 'userId'>) {
      const at = sources.now()
      account ??= { userId, ...NEW_ACCOUNT }
      const { entry, head, gained } = nextEntry(account, { userId, ...change }, { id: sources.newId(), at })
      rows.pointsEntries.push(entry)
      account = { ...account, ...head }
      if (gained > 0) raise(at, gained)
    },
    /** Points earned before joining count; here the onboarding reward of the same instant. */
    join() {
      const at = sources.now()
      account ??= { userId, ...NEW_ACCOUNT }
      const enrolment = { userId, enrolledAt: at }
      rows.leaderboardEntries.push({ ...enrolment, hash: hashEnrolment(enrolment) })
      places = new Map([['all', { board: 'all', points: 0, reachedAt: at.getTime() }]])
      if (account.lifetime > 0) raise(at, account.lifetime)
    },
    close() {
      if (account) rows.pointsAccounts.push(account)
      for (const place of places?.values() ?? []) rows.places.push({ ...place, userId })
    },
  }
}

/** Claims the drawn rewards that are affordable and in stock. */
function addClaims(
  rows: Rows,
  userId: string,
  balance: number,
  sources: SeedSources,
  supply: Supply,
  redeem: boolean,
) {
  for (const rewardId of drawClaimAttempts(sources)) {
    const reward = supply.rewards.get(rewardId)
    const now = sources.now()
    if (!reward || !isActive(reward, now) || balance < reward.pointsRequired) continue
    if (reward.stockRemaining === 0) continue
    if (reward.stockRemaining !== null) reward.stockRemaining--
    const redemption = redeem
      ? { redeemedAt: now, redemptionCode: mintRedemptionCode(sources.randomBytes(10)) }
      : {}
    rows.userRewards.push({ userId, rewardId, claimedAt: now, ...redemption })
  }
}

/** Buys one or two packs with points and opens most of them. */
function addPacks(rows: Rows, userId: string, points: Ledger, sources: SeedSources, supply: Supply) {
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
    for (const [position, collectibleId] of inOrderOfIds(drawn)) {
      rows.userItems.push({ userPackId, position, userId, collectibleId, createdAt: now })
    }
  }
}
