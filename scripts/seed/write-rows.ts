/** Writes the rows of many fans in one unit of work, and updates stock, supply and counters. */
import { and, eq, inArray, sql } from 'drizzle-orm'
import { insertRows } from '../../db/bulk.ts'
import type { Transaction } from '../../db/index.ts'
import { readVersion } from '../../src/club/catalogue/versions.ts'
import { countMembers } from '../../src/economy/leaderboard/rank-index/rank-index.ts'
import { changeSold, countFree, lockPack } from '../../src/play/packs/supply.ts'
import { addReceipts } from '../../src/play/purchases/receipts.ts'
import type { PeriodKey } from '../../src/play/quests/rows.ts'
import {
  changeSold as changeUnitsSold,
  countFree as countFreeUnits,
  countHeld,
  lockStock,
  nameOfVariant,
} from '../../src/play/shop/stock.ts'
import type { Rows } from './rows.ts'
import { BEFORE_ALL } from './supply.ts'

/** The database has changed since the rows were computed: they must be computed again. */
export class StaleRowsError extends Error {}

/** Claimed periods keep none. */
function countsOf({ questCounts, questProgress }: Pick<Rows, 'questCounts' | 'questProgress'>) {
  const claimed = new Set(questProgress.flatMap(row => (row.claimedAt ? [nameOfPeriod(row)] : [])))
  return questCounts.filter(count => !claimed.has(nameOfPeriod(count)))
}

const nameOfPeriod = ({ userId, questId, period }: PeriodKey) => `${userId} ${questId} ${period}`

/**
 * Returns the number of inserted or changed rows.
 * @throws StaleRowsError when a fan was created, a handle was taken, a match changed, or stock ran out meanwhile
 */
export async function writeRows(tx: Transaction, rows: Rows): Promise<number> {
  const { tables } = tx
  const insertedUsers = await insertRows(tx, tables.users, rows.users, 'skip')
  if (insertedUsers < rows.users.length) throw new StaleRowsError()
  await requireUnchanged(tx, rows)
  const revision = (await readVersion(tx))?.revision ?? null
  const events = rows.events.map(event => ({ ...event, revision }))
  const scores = rows.places.map(({ points, ...place }) => ({ ...place, minusPoints: -points }))
  addReceipts(tx, rows.receipts)
  const changed = [
    rows.receipts.length,
    insertedUsers,
    await insertRows(tx, tables.identities, rows.identities),
    await insertRows(tx, tables.onboardings, rows.onboardings),
    await insertRows(tx, tables.events, events),
    // A digest of the catalogue has one message for many events.
    await insertRows(tx, tables.messages, rows.messages, 'skip'),
    await insertRows(tx, tables.ruleUses, rows.ruleUses),
    await insertRows(tx, tables.questProgress, rows.questProgress),
    await insertRows(tx, tables.questCounts, countsOf(rows)),
    await insertRows(tx, tables.questStreaks, rows.questStreaks),
    await insertRows(tx, tables.checkIns, rows.checkIns),
    await insertRows(tx, tables.predictions, rows.predictions),
    await insertRows(tx, tables.pointsAccounts, rows.pointsAccounts),
    await insertRows(tx, tables.pointsEntries, rows.pointsEntries),
    await insertRows(tx, tables.leaderboardEntries, rows.leaderboardEntries),
    await insertRows(tx, tables.leaderboardScores, scores),
    // Contended rows come last, in the order of the verbs: variants, packs, rewards, collectibles, counts.
    await takeFromVariants(tx, rows),
    await insertRows(tx, tables.orders, rows.orders),
    await insertRows(tx, tables.orderLines, rows.orderLines),
    await insertRows(tx, tables.payments, rows.payments),
    await takeFromSupply(tx, rows),
    await insertRows(tx, tables.packPurchases, rows.packPurchases),
    await insertRows(tx, tables.userPacks, rows.userPacks),
    await insertRows(tx, tables.orderUnits, rows.orderUnits),
    await insertRows(tx, tables.userRewards, rows.userRewards),
    await insertRows(tx, tables.setCompletions, rows.setCompletions),
    await takeFromStock(tx, rows),
    await mintItems(tx, rows),
    await insertRows(tx, tables.leaderboardCounts, countMembers(rows.places), { add: 'fans' }),
  ]
  return changed.reduce((sum, count) => sum + count, 0)
}

/**
 * A result that is committed later still settles these predictions, since its last pass begins after this unit of work has
 * ended.
 */
async function requireUnchanged(tx: Transaction, { matchRevisions }: Rows): Promise<void> {
  const { matches } = tx.tables
  if (matchRevisions.size === 0) return
  const found = await tx
    .select({ id: matches.id, revision: matches.revision })
    .from(matches)
    .where(inArray(matches.id, [...matchRevisions.keys()]))
  if (found.some(({ id, revision }) => matchRevisions.get(id) !== revision)) throw new StaleRowsError()
}

async function takeFromVariants(tx: Transaction, { orderLines }: Rows): Promise<number> {
  const sold = Map.groupBy(
    orderLines.filter(({ isSold }) => isSold),
    nameOfVariant,
  )
  const sales = [...sold].flatMap(([name, [first, ...others]]) => {
    if (!first) return []
    const by = others.reduce((sum, { quantity }) => sum + quantity, first.quantity)
    return { name, productId: first.productId, variantId: first.variantId, by }
  })
  if (sales.length === 0) return 0
  const { now, variants } = await lockStock(tx, sales)
  const held = await countHeld(tx, sales, now)
  for (const { name, by } of sales) {
    const variant = variants.get(name)
    if (!variant?.listed || countFreeUnits(variant, held) < by) throw new StaleRowsError()
  }
  await changeUnitsSold(tx, sales)
  return sales.length
}

async function takeFromSupply(tx: Transaction, { userPacks }: Rows): Promise<number> {
  const sales = countById(userPacks.map(({ packId }) => packId))
  for (const [packId, sold] of sales) {
    const locked = await lockPack(tx, packId)
    if (!locked || (await countFree(tx, locked.pack, BEFORE_ALL)) < sold) throw new StaleRowsError()
    changeSold(tx, packId, sold)
  }
  return sales.length
}

async function takeFromStock(tx: Transaction, { userRewards }: Rows): Promise<number> {
  const { rewards } = tx.tables
  const claims = countById(userRewards.map(({ rewardId }) => rewardId))
  for (const [rewardId, claimed] of claims) {
    const [left] = await tx
      .update(rewards)
      .set({ stockRemaining: sql`${rewards.stockRemaining} - ${claimed}` })
      .where(
        and(eq(rewards.id, rewardId), sql`coalesce(${rewards.stockRemaining}, ${claimed}) >= ${claimed}`),
      )
      .returning({ id: rewards.id })
    if (!left) throw new StaleRowsError()
  }
  return claims.length
}

/** Increases each collectible's counter by its drawn items: serial numbers are unique and gapless. */
async function mintItems(tx: Transaction, { userItems }: Rows): Promise<number> {
  const { collectibles } = tx.tables
  const next = new Map<string, number>()
  for (const [id, drawn] of countById(userItems.map(({ collectibleId }) => collectibleId))) {
    const [counter] = await tx
      .update(collectibles)
      .set({ minted: sql`${collectibles.minted} + ${drawn}` })
      .where(eq(collectibles.id, id))
      .returning({ minted: collectibles.minted })
    if (!counter) throw new StaleRowsError()
    next.set(id, counter.minted - drawn)
  }
  const numbered = userItems.map(item => {
    const serialNumber = (next.get(item.collectibleId) ?? 0) + 1
    next.set(item.collectibleId, serialNumber)
    return { ...item, serialNumber }
  })
  return next.size + (await insertRows(tx, tx.tables.userItems, numbered))
}

/** The number of occurrences of each id, ordered by id: all writers lock in this order. */
function countById(ids: string[]): [id: string, count: number][] {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
}
