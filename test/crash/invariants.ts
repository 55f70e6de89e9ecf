/** Invariants that hold in every database at any time, checked from its rows only, for example after a crash. */
import type { Database, Reader, Tables } from '../../db/index.ts'
import { boardsAt } from '../../src/leaderboard/boards.ts'
import { rebuildRankIndex } from '../../src/leaderboard/rank-index/rank-index.ts'
import { statusOf } from '../../src/packs/present.ts'
import { parseTerms } from '../../src/packs/terms.ts'
import { GENESIS_HASH, hashEntry } from '../../src/points/hash.ts'
import { type PointsReason, REFUND_REASONS } from '../../src/points/ledger.ts'
import { readBuckets } from '../leaderboard/board-model.ts'

type Rows<Name extends keyof Tables> = Tables[Name]['$inferSelect'][]
type Everything = { [Name in keyof Tables]: Rows<Name> }

/** The state before the first claim. */
export interface Beginnings {
  /** By reward; null where it has no limit. */
  stock: Map<string, number | null>
  /** Points of an onboarding. */
  onboardingPoints: number
}

/** A description of each violated invariant; empty if there is none. */
export async function findFaults(db: Database, beginnings: Beginnings, now: Date): Promise<string[]> {
  const all = await readEverything(db.read)
  return [
    ...ledgerFaults(all),
    ...onboardingFaults(all, beginnings),
    ...boardFaults(all),
    ...(await countFaults(db)),
    ...stockFaults(all, beginnings),
    ...supplyFaults(all, now),
    ...purchaseFaults(all),
    ...drawFaults(all),
    ...sessionFaults(all),
    ...all.idempotencyKeys.filter(({ status }) => status === null).map(({ key }) => `${key}: kept half done`),
  ]
}

async function readEverything(reader: Reader): Promise<Everything> {
  const read: Record<string, unknown> = {}
  for (const [name, table] of Object.entries(reader.tables)) read[name] = await reader.select().from(table)
  // Guarantee of the cast: each table's rows under its own name, and all of them.
  return read as Everything
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
      const back = REFUND_REASONS.includes(entry.reason as PointsReason)
      head.balance += entry.delta
      head.lifetime += back ? 0 : Math.max(0, entry.delta)
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

/** The scores of enrolled fans must match the ledger. */
function boardFaults({ leaderboardEntries, leaderboardScores, pointsEntries }: Everything): string[] {
  const gains = pointsEntries.filter(
    ({ delta, reason }) => delta > 0 && !REFUND_REASONS.includes(reason as PointsReason),
  )
  const gainsOf = Map.groupBy(gains, ({ userId }) => userId)
  const expected = leaderboardEntries.flatMap(({ userId, enrolledAt, leftAt }) => {
    if (leftAt) return []
    const earned = gainsOf.get(userId) ?? []
    const places = new Map([['all', { points: 0, at: enrolledAt.getTime() }]])
    for (const { delta, createdAt } of earned.toSorted((a, b) => a.seq - b.seq)) {
      for (const { id, endsAt } of boardsAt(createdAt)) {
        // Periods that ended before the enrolment do not count.
        if (endsAt && endsAt <= enrolledAt) continue
        const { points, at } = places.get(id) ?? { points: 0, at: 0 }
        const latest = points === 0 ? createdAt.getTime() : Math.max(at, createdAt.getTime())
        places.set(id, { points: points + delta, at: latest })
      }
    }
    return [...places].map(([board, { points, at }]) => `${board} ${userId} ${points} ${at}`)
  })
  const written = leaderboardScores.map(
    ({ board, userId, minusPoints, reachedAt }) => `${board} ${userId} ${-minusPoints} ${reachedAt}`,
  )
  return differences('score', expected, written)
}

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

/** Each session has a refresh token of its current generation, and none of a later one. */
function sessionFaults({ nativeSessions, refreshTokens }: Everything): string[] {
  const tokens = Map.groupBy(refreshTokens, ({ sessionId }) => sessionId)
  return nativeSessions.flatMap(({ id, generation }) => {
    const newest = Math.max(...(tokens.get(id) ?? []).map(token => token.generation))
    return newest === generation ? [] : [`session ${id}: generation ${generation}, newest token ${newest}`]
  })
}

/** The differences of two lists that should have the same members, each equally often. */
function differences(noun: string, expected: string[], found: string[]): string[] {
  const surplus = new Map<string, number>()
  for (const name of found) surplus.set(name, (surplus.get(name) ?? 0) + 1)
  for (const name of expected) surplus.set(name, (surplus.get(name) ?? 0) - 1)
  return [...surplus].flatMap(([name, times]) => {
    if (times === 0) return []
    return [times > 0 ? `${noun} ${name}: ${times} too many` : `${noun} ${name}: missing`]
  })
}
