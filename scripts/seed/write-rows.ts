/** Writes the rows of many fans in one unit of work, and takes what they got from stock, supply and counters. */
import { and, eq, sql } from 'drizzle-orm'
import { insertRows } from '../../db/bulk.ts'
import type { Transaction } from '../../db/index.ts'
import { countPlaces } from '../../src/leaderboard/rank-index/rank-index.ts'
import { changeSold, countFree, lockPack } from '../../src/packs/supply.ts'
import type { Rows } from './life.ts'
import { BEFORE_ALL } from './season.ts'

/** The season has moved on since these rows were drawn: nothing may be written, and they must be drawn again. */
export class StaleSeason extends Error {}

/**
 * Answers how many rows it inserted or changed.
 * @throws StaleSeason when a fan was made, a handle was taken, or a stock ran out meanwhile
 */
export async function writeRows(tx: Transaction, rows: Rows): Promise<number> {
  const { tables } = tx
  const made = await insertRows(tx, tables.users, rows.users, 'skip')
  if (made < rows.users.length) throw new StaleSeason()
  const scores = rows.places.map(({ points, ...place }) => ({ ...place, minusPoints: -points }))
  const changed = [
    made,
    await insertRows(tx, tables.identities, rows.identities),
    await insertRows(tx, tables.onboardings, rows.onboardings),
    await insertRows(tx, tables.pointsAccounts, rows.pointsAccounts),
    await insertRows(tx, tables.pointsEntries, rows.pointsEntries),
    await insertRows(tx, tables.leaderboardEntries, rows.leaderboardEntries),
    await insertRows(tx, tables.leaderboardScores, scores),
    // What others wait for comes last, in the verbs' order: packs, rewards, collectibles, counts.
    await takeFromSupply(tx, rows),
    await insertRows(tx, tables.packPurchases, rows.packPurchases),
    await insertRows(tx, tables.userPacks, rows.userPacks),
    await insertRows(tx, tables.userRewards, rows.userRewards),
    await takeFromStock(tx, rows),
    await mintItems(tx, rows),
    await insertRows(tx, tables.leaderboardCounts, countPlaces(rows.places), { add: 'fans' }),
  ]
  return changed.reduce((sum, count) => sum + count, 0)
}

async function takeFromSupply(tx: Transaction, { userPacks }: Rows): Promise<number> {
  const sales = tally(userPacks.map(({ packId }) => packId))
  for (const [packId, sold] of sales) {
    const locked = await lockPack(tx, packId)
    if (!locked || (await countFree(tx, locked.pack, BEFORE_ALL)) < sold) throw new StaleSeason()
    await changeSold(tx, packId, sold)
  }
  return sales.length
}

async function takeFromStock(tx: Transaction, { userRewards }: Rows): Promise<number> {
  const { rewards } = tx.tables
  const claims = tally(userRewards.map(({ rewardId }) => rewardId))
  for (const [rewardId, claimed] of claims) {
    const [left] = await tx
      .update(rewards)
      .set({ stockRemaining: sql`${rewards.stockRemaining} - ${claimed}` })
      .where(
        and(eq(rewards.id, rewardId), sql`coalesce(${rewards.stockRemaining}, ${claimed}) >= ${claimed}`),
      )
      .returning({ id: rewards.id })
    if (!left) throw new StaleSeason()
  }
  return claims.length
}

/** Each collectible's counter goes on by what was drawn of it: no number twice, none left out. */
async function mintItems(tx: Transaction, { userItems }: Rows): Promise<number> {
  const { collectibles } = tx.tables
  const next = new Map<string, number>()
  for (const [id, drawn] of tally(userItems.map(({ collectibleId }) => collectibleId))) {
    const [counter] = await tx
      .update(collectibles)
      .set({ minted: sql`${collectibles.minted} + ${drawn}` })
      .where(eq(collectibles.id, id))
      .returning({ minted: collectibles.minted })
    if (!counter) throw new StaleSeason()
    next.set(id, counter.minted - drawn)
  }
  const numbered = userItems.map(item => {
    const serialNumber = (next.get(item.collectibleId) ?? 0) + 1
    next.set(item.collectibleId, serialNumber)
    return { ...item, serialNumber }
  })
  return next.size + (await insertRows(tx, tx.tables.userItems, numbered))
}

/** How often each id is there, in the order of the ids: everybody takes locks in that order. */
function tally(ids: string[]): [id: string, count: number][] {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
}
