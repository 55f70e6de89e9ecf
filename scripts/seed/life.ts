/**
 * One fan's life as rows, without a database: the verbs' own rules in the verbs' order, so that the same seed gives
 * the very rows that the verbs would write. `test/scripts/seed` holds both against each other.
 */
import type { Tables } from '../../db/index.ts'
import type { Fan } from '../../mock-idp/users/user.ts'
import { isActive } from '../../src/catalogue/availability.ts'
import { parseClaims } from '../../src/identity-provider/claims.ts'
import { boardsAt } from '../../src/leaderboard/boards.ts'
import { hashEnrolment } from '../../src/leaderboard/enrolment.ts'
import type { Place } from '../../src/leaderboard/rank-index/rank-index.ts'
import { raisePlace } from '../../src/leaderboard/scores.ts'
import { drawItems, inOrderOfIds } from '../../src/packs/draw.ts'
import { preparePurchase } from '../../src/packs/start-purchase.ts'
import { type Account, NEW_ACCOUNT, nextEntry, type PointsChange } from '../../src/points/ledger.ts'
import { normalizeProfile } from '../../src/profile/rules.ts'
import { mintRedemptionCode } from '../../src/rewards/redemption-code.ts'
import {
  drawJoining,
  drawOpening,
  drawProfile,
  drawPurchases,
  drawVisits,
  drawWishes,
  ONBOARDING_MS,
  type Stage,
} from './plan.ts'
import type { Season } from './season.ts'
import type { SeedSources } from './sources.ts'

type Row<Name extends keyof Tables> = Tables[Name]['$inferInsert']

/** The rows of one fan, or of several. Items have no serial number yet: that is whoever writes them to say. */
export interface Rows {
  users: Row<'users'>[]
  identities: Row<'identities'>[]
  onboardings: Row<'onboardings'>[]
  pointsAccounts: Row<'pointsAccounts'>[]
  pointsEntries: Row<'pointsEntries'>[]
  leaderboardEntries: Row<'leaderboardEntries'>[]
  places: (Place & { userId: string })[]
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

export interface LifeTerms {
  /** `IDP_NAME` and `IDP_ISSUER` of the provider whose fans these are. */
  provider: { name: string; issuer: string }
  onboardingPoints: number
}

/** What a fan's life begins with: alone, it tells the id that their record has. */
export function drawRecord(fan: Fan, sources: SeedSources) {
  return { createdAt: sources.now(), drawn: drawProfile(fan, sources), id: sources.newId() }
}

/** Adds the rows of one fan, and takes what the fan gets from the season. */
export function addLife(
  rows: Rows,
  fan: Fan,
  stage: Exclude<Stage, 'new'>,
  { sources, season, terms, handleTaken }: LifeContext,
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
  const joins = drawJoining(sources)
  rows.identities.push({ userId: id, ...mirrored, syncedAt: now })
  rows.onboardings.push({ userId: id, completedAt: now })
  const { onboardingPoints } = terms
  if (onboardingPoints > 0) points.book({ delta: onboardingPoints, reason: 'onboarding', ref: 'onboarding' })
  if (joins) points.join()

  if (stage !== 'onboarded') {
    for (const visit of drawVisits(sources)) points.book(visit)
    if (stage === 'collector') addPacks(rows, id, points, sources, season)
    else if (stage !== 'active') addClaims(rows, id, points.balance(), sources, season, stage === 'redeemed')
  }
  points.close()
}

export interface LifeContext {
  sources: SeedSources
  season: Season
  terms: LifeTerms
  /** Somebody else has the handle: the fan goes without. */
  handleTaken: boolean
}

type Ledger = ReturnType<typeof createLedger>

/** A fan's account, and their places on the boards once they have joined. */
function createLedger(rows: Rows, userId: string, sources: SeedSources) {
  let account: Account | undefined
  let places: Map<string, Place> | undefined

  function raise(at: Date, gained: number) {
    for (const { id } of boardsAt(at)) places?.set(id, raisePlace(id, places.get(id), { gained, at }))
  }

  return {
    balance: () => account?.balance ?? 0,
    /** The balance must suffice. */
    book(change: Omit<PointsChange, 'userId'>) {
      const at = sources.now()
      account ??= { userId, ...NEW_ACCOUNT }
      const { entry, head, gained } = nextEntry(account, { userId, ...change }, { id: sources.newId(), at })
      rows.pointsEntries.push(entry)
      account = { ...account, ...head }
      if (gained > 0) raise(at, gained)
    },
    /** What was earned before, which is the onboarding reward of this instant, counts. */
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

/** Claims what the fan can afford and what is left. */
function addClaims(
  rows: Rows,
  userId: string,
  balance: number,
  sources: SeedSources,
  season: Season,
  redeem: boolean,
) {
  for (const rewardId of drawWishes(sources)) {
    const reward = season.rewards.get(rewardId)
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

/** Buys a pack or two with points, and opens most. */
function addPacks(rows: Rows, userId: string, points: Ledger, sources: SeedSources, season: Season) {
  for (const packId of drawPurchases(sources)) {
    const now = sources.now()
    const onSale = season.packs.get(packId)
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
