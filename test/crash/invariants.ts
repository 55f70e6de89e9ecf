/** Invariants that hold in every database at any time, checked from its rows only, for example after a crash. */
import type { Database } from '../../db/index.ts'
import { findWrongCash } from '../../src/audit/money/verify-cash.ts'
import { findWrongPurchases } from '../../src/audit/money/verify-purchases.ts'
import { findWrongDiscounts, findWrongVouchers } from '../../src/audit/money/verify-vouchers.ts'
import { findWrongCampaigns, findWrongRedemptions } from '../../src/audit/play/verify-codes.ts'
import { matchesType, parseTypes } from '../../src/delivery/webhooks/types.ts'
import { findWrongAccounts } from '../../src/economy/accounts/audit.ts'
import { unfold } from '../../src/economy/events/folded.ts'
import { boardsAt } from '../../src/economy/leaderboard/boards.ts'
import { rebuildRankIndex } from '../../src/economy/leaderboard/rank-index/rank-index.ts'
import { GENESIS_HASH, hashEntry } from '../../src/economy/ledgers/chain.ts'
import { earnedBy, type PointsReason, REFUND_REASONS } from '../../src/economy/ledgers/reasons.ts'
import { parseTerms } from '../../src/play/packs/draw.ts'
import { statusOf } from '../../src/play/purchases/purchase.ts'
import type { Given } from '../../src/play/quests/give-reward.ts'
import { findWrongOrders } from '../../src/play/shop/audit-orders.ts'
import { execute } from '../db/probe.ts'
import { readBuckets } from '../economy/leaderboard/board-model.ts'
import { readTables } from '../support/read-tables.ts'
import { differences } from './differences.ts'
import { eventFaults } from './event-invariants.ts'
import { itemFaults } from './item-invariants.ts'

type Everything = Awaited<ReturnType<typeof readTables>>

const ALL_FANS = { after: null, upTo: null }

/** The state before the first claim. */
export interface Beginnings {
  /** By reward; null where it has no limit. */
  stock: Map<string, number | null>
  /** Points of an onboarding. */
  onboardingPoints: number
}

/** A description of each violated invariant; empty if there is none. */
export async function findFaults(db: Database, beginnings: Beginnings, now: Date): Promise<string[]> {
  // One snapshot: background work continues, for example the distribution of events.
  const all = await db.write(async tx => {
    if (db.engine === 'postgres') await execute(tx, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    const tables = await readTables(tx)
    return { ...tables, events: await unfold(tx, tables.events) }
  })
  return [
    ...ledgerFaults(all),
    ...predictionFaults(all),
    ...onboardingFaults(all, beginnings),
    ...boardFaults(all),
    ...(await countFaults(db)),
    ...stockFaults(all, beginnings),
    ...supplyFaults(all, now),
    ...purchaseFaults(all),
    ...drawFaults(all),
    ...itemFaults(all),
    ...eventFaults(all),
    ...questFaults(all),
    ...setFaults(all),
    ...walletFaults(all),
    ...[
      ...(await findWrongOrders(db.read)),
      ...(await findWrongVouchers(db.read)),
      ...(await findWrongDiscounts(db.read)),
      ...(await findWrongCash(db.read, ALL_FANS)),
      ...(await findWrongPurchases(db.read, ALL_FANS)),
      ...(await findWrongAccounts(db.read, ALL_FANS)),
      ...(await findWrongRedemptions(db.read, ALL_FANS)),
      ...(await findWrongCampaigns(db.read)),
    ].map(({ what, expected, actual }) => `${what}: ${expected}, not ${actual}`),
    ...sessionFaults(all),
    ...distributionFaults(all),
    ...webhookFaults(all),
    ...serverKeyFaults(all),
    ...redemptionFaults(all),
    ...all.idempotencyKeys.filter(({ status }) => status === null).map(({ key }) => `${key}: kept half done`),
  ]
}

function ledgerFaults({ pointsAccounts, pointsEntries }: Everything): string[] {
  const byUser = Map.groupBy(pointsEntries, ({ userId }) => userId)
  const accounts = new Set(pointsAccounts.map(({ userId }) => userId))
  const faults = [...byUser.keys()]
    .filter(id => !accounts.has(id))
    .map(id => `${id}: entries without an account`)
  for (const { userId, balance, lifetime, seq, headHash } of pointsAccounts) {
    const head = { balance: 0, lifetime: 0, seq: 0, hash: GENESIS_HASH }
    for (const entry of (byUser.get(userId) ?? []).toSorted((a, b) => a.seq - b.seq)) {
      head.balance += entry.delta
      head.lifetime += earnedBy({ delta: entry.delta, reason: entry.reason as PointsReason })
      head.seq++
      head.hash = hashEntry(head.hash, entry)
      if (entry.seq !== head.seq) faults.push(`${userId}: entry ${head.seq} is missing`)
      if (entry.balanceAfter !== head.balance) faults.push(`${userId}: balance after ${entry.seq} is no sum`)
      if (entry.hash !== head.hash) faults.push(`${userId}: the chain breaks at ${entry.seq}`)
    }
    const account = { balance, lifetime, seq, hash: headHash }
    if (JSON.stringify(account) !== JSON.stringify(head))
      faults.push(`${userId}: account ${JSON.stringify(account)}, entries ${JSON.stringify(head)}`)
  }
  return faults
}

/** Events of fans and of matches, which stand for the fan as they do in deliveries. */
const sentEvents = ({ events, matchEvents }: Everything) => [
  ...events,
  ...matchEvents.map(event => ({ ...event, userId: `match:${event.matchId}`, type: 'match.updated' })),
]

/** Positions are 1, 2, 3 … and keep the order of each fan and match, of whose events the newest ones wait. */
function distributionFaults(all: Everything): string[] {
  const { eventDistribution } = all
  const events = sentEvents(all)
  const distributed = events.filter(({ position }) => position !== null && position > 0)
  const positions = distributed.map(({ position }) => position ?? 0).toSorted((a, b) => a - b)
  const last = eventDistribution[0]?.lastPosition ?? 0
  const marked = events.filter(({ position }) => position !== null)
  const orders = Map.groupBy(marked, ({ userId }) => userId)
  return [
    ...positions.flatMap((position, at) => (position === at + 1 ? [] : [`no event has position ${at + 1}`])),
    ...(last === positions.length ? [] : [`last position ${last} of ${positions.length}`]),
    ...[...orders].flatMap(([userId, own]) => {
      const order = own
        .toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))
        .map(({ position }) => position || Number.POSITIVE_INFINITY)
      const isSorted = order.every((position, at) => at === 0 || (order[at - 1] ?? 0) <= position)
      return isSorted ? [] : [`${userId}: distributed out of order`]
    }),
  ]
}

/**
 * Finds pending deliveries without a lane, which are never sent; deliveries of events that were not distributed, which a failed
 * unit of work has left; and events that neither wait nor have a delivery, which are lost.
 */
function webhookFaults(all: Everything): string[] {
  const { webhookDeliveries, webhookEndpoints, webhookLanes } = all
  const events = sentEvents(all)
  const lanes = new Set(webhookLanes.map(({ endpointId, userId }) => `${endpointId} ${userId}`))
  const distributed = events.filter(({ position }) => position)
  const recorded = new Set(distributed.map(({ userId, sequence }) => `${userId} ${sequence}`))
  const delivered = new Set(
    webhookDeliveries.map(({ endpointId, userId, sequence }) => `${endpointId} ${userId} ${sequence}`),
  )
  const lost = webhookEndpoints.flatMap(({ id, types, createdAt }) =>
    events
      .filter(({ position }) => position !== 0)
      .filter(({ type, recordedAt }) => recordedAt > createdAt && matchesType(parseTypes(types), type ?? ''))
      .filter(({ userId, sequence }) => !delivered.has(`${id} ${userId} ${sequence}`))
      .map(({ userId, sequence }) => `${userId}: event ${sequence} has no delivery to ${id}`),
  )
  return [
    ...lost,
    ...webhookDeliveries.flatMap(({ endpointId, userId, sequence, state }) => [
      ...(state === 'pending' && !lanes.has(`${endpointId} ${userId}`)
        ? [`${userId}: delivery ${sequence} has no lane`]
        : []),
      ...(recorded.has(`${userId} ${sequence}`)
        ? []
        : [`${userId}: delivery ${sequence} of no distributed event`]),
    ]),
  ]
}

function onboardingFaults({ onboardings, pointsEntries }: Everything, { onboardingPoints }: Beginnings) {
  const rewarded = pointsEntries.filter(({ reason }) => reason === 'onboarding')
  const expected = onboardingPoints > 0 ? onboardings.map(({ userId }) => userId) : []
  const wrong = rewarded.filter(({ delta }) => delta !== onboardingPoints)
  return [
    ...differences(
      'onboarding reward',
      expected,
      rewarded.map(({ userId }) => userId),
    ),
    ...wrong.map(({ userId, delta }) => `${userId}: ${delta} points for the onboarding`),
  ]
}

/** The newest key of a source is its current one, unless it is revoked; earlier ones have an end. */
function serverKeyFaults({ serverKeys }: Everything): string[] {
  const bySource = Map.groupBy(serverKeys, ({ source }) => source)
  return [...bySource].flatMap(([source, keys]) => {
    const current = keys.filter(({ currentOf }) => currentOf !== null)
    const endless = keys.filter(key => !current.includes(key) && !key.expiresAt && !key.revokedAt)
    const isLeft = current.length === 0 && keys.every(({ revokedAt }) => revokedAt === null)
    return [
      ...(isLeft ? [`${source}: no current key`] : []),
      ...endless.map(({ id }) => `${source}: the replaced key ${id} does not end`),
    ]
  })
}

function redemptionFaults({ userRewards }: Everything): string[] {
  return userRewards
    .filter(
      ({ redemptionCode, usedAt, usedBy }) =>
        (usedAt === null) !== (usedBy === null) || (usedAt !== null && redemptionCode === null),
    )
    .map(({ userId, rewardId }) => `${userId}: ${rewardId} is half used`)
}

/** The ledger has what a prediction has booked, and a settled one has one event that counts. */
function predictionFaults({ predictions, pointsEntries, events }: Everything): string[] {
  const own = pointsEntries.filter(({ reason }) => reason === 'prediction' || reason === 'prediction_void')
  const sums = new Map<string, number>()
  for (const { userId, ref, delta } of own) {
    const name = `${ref.split(':')[0]} ${userId}`
    sums.set(name, (sums.get(name) ?? 0) + delta)
  }
  const counting = events.filter(({ type, voidedAt }) => type === 'prediction.settled' && !voidedAt)
  const settled = predictions.filter(({ state }) => state === 'settled')
  return [
    ...predictions.flatMap(({ matchId, userId, booked }) => {
      const sum = sums.get(`${matchId} ${userId}`) ?? 0
      return sum === booked ? [] : [`prediction ${matchId} ${userId}: ${booked} booked, ${sum} in the ledger`]
    }),
    ...differences(
      'event of',
      settled.map(({ matchId, userId, settledBy }) => `prediction:${userId}:${matchId}:${settledBy}`),
      counting.map(({ eventId }) => eventId),
    ),
  ]
}

/** The scores of enrolled fans must match the ledger. */
function boardFaults({ leaderboardEntries, leaderboardScores, pointsEntries }: Everything): string[] {
  const gains = pointsEntries.filter(
    ({ delta, reason }) => delta > 0 && !REFUND_REASONS.includes(reason as PointsReason),
  )
  const gainsOf = Map.groupBy(gains, ({ userId }) => userId)
  const voids = pointsEntries.filter(({ reason }) => reason.endsWith('_void'))
  const voidOf = new Map(voids.map(entry => [`${entry.userId} ${entry.reason} ${entry.ref}`, entry]))
  const expected = leaderboardEntries.flatMap(({ userId, enrolledAt, leftAt }) => {
    if (leftAt) return []
    const earned = gainsOf.get(userId) ?? []
    const places = new Map([['all', { points: 0, at: enrolledAt.getTime() }]])
    for (const { delta, createdAt, reason, ref } of earned.toSorted((a, b) => a.seq - b.seq)) {
      const taken = voidOf.get(`${userId} ${reason}_void ${ref}`)
      const boards = reason === 'prediction' ? predictionBoards(ref) : []
      for (const { id, endsAt } of [...boardsAt(createdAt), ...boards]) {
        // Periods that ended before the enrolment do not count.
        if (endsAt && endsAt <= enrolledAt) continue
        const isFinal = endsAt !== null && taken && taken.createdAt.getTime() >= endsAt.getTime() + 60_000
        const gained = taken && !isFinal ? delta + taken.delta : delta
        if (gained === 0) continue
        const { points, at } = places.get(id) ?? { points: 0, at: 0 }
        const latest = points === 0 ? createdAt.getTime() : Math.max(at, createdAt.getTime())
        places.set(id, { points: points + gained, at: latest })
      }
    }
    return [...places].map(([board, { points, at }]) => `${board} ${userId} ${points} ${at}`)
  })
  const written = leaderboardScores.map(
    ({ board, userId, minusPoints, reachedAt }) => `${board} ${userId} ${-minusPoints} ${reachedAt}`,
  )
  return differences('score', expected, written)
}

const predictionBoards = (ref: string) =>
  ['predictions', `predictions:${ref.split(':').slice(2).join(':')}`].map(id => ({ id, endsAt: null }))

class TakenBack extends Error {}

/** The buckets of every board must match a rebuild, which is rolled back. */
async function countFaults(db: Database): Promise<string[]> {
  let faults: string[] = []
  const check = db.write(async tx => {
    const { leaderboardScores } = tx.tables
    const kept = await readBuckets(tx)
    const boards = await tx.selectDistinct({ board: leaderboardScores.board }).from(leaderboardScores)
    for (const { board } of boards) await rebuildRankIndex(tx, board)
    const name = (row: (typeof kept)[number]) => JSON.stringify(Object.entries(row).toSorted())
    faults = differences('count', (await readBuckets(tx)).map(name), kept.map(name))
    throw new TakenBack()
  })
  await check.catch(error => {
    if (!(error instanceof TakenBack)) throw error
  })
  return faults
}

function stockFaults({ rewards, userRewards }: Everything, { stock }: Beginnings): string[] {
  const codes = userRewards.flatMap(({ redemptionCode }) => redemptionCode ?? [])
  const faults = codes.length === new Set(codes).size ? [] : ['a redemption code was minted twice']
  for (const { id, stockRemaining } of rewards) {
    const began = stock.get(id) ?? null
    const claims = userRewards.filter(({ rewardId }) => rewardId === id).length
    if (stockRemaining !== (began === null ? null : began - claims))
      faults.push(`${id}: ${began} at first, ${claims} claims, ${stockRemaining} left`)
  }
  return faults
}

function supplyFaults({ packs, packPurchases, userPacks }: Everything, now: Date): string[] {
  return packs.flatMap(({ id, supplySold, supplyTotal }) => {
    const owned = userPacks.filter(({ packId, revokedAt }) => packId === id && !revokedAt).length
    const held = packPurchases.filter(row => row.packId === id && statusOf(row, now) === 'pending').length
    const faults = supplySold === owned ? [] : [`${id}: ${supplySold} sold, ${owned} owned`]
    if (supplySold + held > (supplyTotal ?? Number.POSITIVE_INFINITY))
      faults.push(`${id}: ${supplySold} sold and ${held} held of ${supplyTotal}`)
    return faults
  })
}

/** Each completed purchase has a pack and a debit, each refunded one a credit, and no other purchase has any. */
function purchaseFaults({ packPurchases, userPacks, pointsEntries }: Everything): string[] {
  const completed = packPurchases.filter(({ completedAt }) => completedAt)
  const paid = completed.filter(row => row.priceCurrency === 'POINTS' && row.priceAmount > 0)
  const refunded = paid.filter(({ status }) => status === 'refunded')
  const booked = (reason: PointsReason) =>
    pointsEntries
      .filter(entry => entry.reason === reason)
      .map(({ userId, ref, delta }) => `${userId} ${ref} ${delta}`)
  const name = (sign: 1 | -1) => (row: (typeof paid)[number]) =>
    `${row.userId} ${row.id} ${sign * row.priceAmount}`
  return [
    ...differences(
      'pack',
      completed.map(({ id }) => id),
      userPacks.map(({ purchaseId }) => purchaseId),
    ),
    ...differences('debit', paid.map(name(-1)), booked('pack_purchase')),
    ...differences('refund', refunded.map(name(1)), booked('pack_refund')),
  ]
}

/** An opened pack has the number of items of its terms, a sealed one none; serial numbers have no gaps. */
function drawFaults({ userPacks, userItems, packPurchases, collectibles }: Everything): string[] {
  const termsOf = new Map(packPurchases.map(({ id, terms }) => [id, terms]))
  const itemsOf = Map.groupBy(userItems, ({ userPackId }) => userPackId)
  const faults = userPacks.flatMap(({ id, purchaseId, openedAt }) => {
    const { itemsPerPack } = parseTerms(termsOf.get(purchaseId) ?? '')
    const positions = (itemsOf.get(id) ?? []).map(({ position }) => String(position))
    const expected = openedAt ? Array.from({ length: itemsPerPack }, (_, n) => String(n)) : []
    return differences(`item of ${id}`, expected, positions)
  })
  const serials = Map.groupBy(userItems, ({ collectibleId }) => collectibleId)
  return faults.concat(
    collectibles.flatMap(({ id, minted }) => {
      const expected = Array.from({ length: minted }, (_, n) => String(n + 1))
      const given = (serials.get(id) ?? []).map(({ serialNumber }) => String(serialNumber))
      return differences(`serial number of ${id}`, expected, given)
    }),
  )
}

/** Each claimed period has its points and its item, each completed one has its event, and other periods have none. */
function setFaults({ setCompletions, pointsEntries, events }: Everything): string[] {
  return [
    ...differences(
      'points of set',
      setCompletions
        .filter(({ points }) => points > 0)
        .map(({ userId, setId, points }) => `${userId} ${setId} ${points}`),
      pointsEntries
        .filter(({ reason }) => reason === 'set')
        .map(({ userId, ref, delta }) => `${userId} ${ref} ${delta}`),
    ),
    ...differences(
      'completed set',
      setCompletions.map(({ userId, setId }) => `${userId} ${setId}`),
      events
        .filter(({ type }) => type === 'set.completed')
        .map(({ userId, data }) => `${userId} ${JSON.parse(data ?? '{}').setId}`),
    ),
  ]
}

/** Each linked wallet has its event, and no event is of another one: no scenario unlinks any. */
function walletFaults({ wallets, events }: Everything): string[] {
  return differences(
    'linked wallet',
    wallets.map(({ userId, address }) => `${userId} ${address}`),
    events
      .filter(({ type }) => type === 'wallet.linked')
      .map(({ userId, data }) => `${userId} ${JSON.parse(data ?? '{}').address}`),
  )
}

function questFaults({ questProgress, questCounts, pointsEntries, userItems, events }: Everything): string[] {
  const name = ({ questId, period }: { questId: string; period: string }) => `${questId}:${period}`
  const given = questProgress.flatMap(row =>
    row.given === null ? [] : [{ ...row, ...(JSON.parse(row.given) as Given) }],
  )
  const completed = questProgress.flatMap(({ completionId }) => completionId ?? [])
  const counted = Map.groupBy(questCounts, row => `${row.userId} ${name(row)}`)
  const sum = (counts: string) =>
    Object.values(JSON.parse(counts) as Record<string, number>).reduce((all, count) => all + count, 0)
  return [
    ...differences(
      'points of quest',
      given.filter(({ points }) => points > 0).map(row => `${row.userId} ${name(row)} ${row.points}`),
      pointsEntries
        .filter(({ reason }) => reason === 'quest')
        .map(({ userId, ref, delta }) => `${userId} ${ref} ${delta}`),
    ),
    ...differences(
      'item of quest',
      given.flatMap(row => (row.collectibleId === null ? [] : [`${row.userId} quest:${name(row)}`])),
      // Invariants of orders follow from their lines.
      userItems.flatMap(({ userId, givenFor }) =>
        givenFor?.startsWith('quest:') ? [`${userId} ${givenFor}`] : [],
      ),
    ),
    ...differences(
      'completion',
      completed,
      events
        .filter(({ type, voidedAt }) => type === 'quest.completed' && !voidedAt)
        .map(({ eventId }) => eventId),
    ),
    ...questProgress.flatMap(row => {
      const events = counted.get(`${row.userId} ${name(row)}`)?.length ?? 0
      // A claimed period no longer needs them.
      return (row.claimedAt ? 0 : sum(row.counts)) === events
        ? []
        : [`${name(row)}: ${row.counts}, ${events} counted events`]
    }),
  ]
}

/** Each session has a refresh token of its current generation, and none of a later one. */
function sessionFaults({ nativeSessions, refreshTokens }: Everything): string[] {
  const tokens = Map.groupBy(refreshTokens, ({ sessionId }) => sessionId)
  return nativeSessions.flatMap(({ id, generation }) => {
    const newest = Math.max(...(tokens.get(id) ?? []).map(token => token.generation))
    return newest === generation ? [] : [`session ${id}: generation ${generation}, newest token ${newest}`]
  })
}
