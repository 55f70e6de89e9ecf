/** Ends offers without moving items. */
import { and, asc, eq, gt, inArray, lte, or, sql } from 'drizzle-orm'
import { deleteLockedInBatches } from '../../../db/batches.ts'
import type { Database, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { tradeProblems } from './problems.ts'
import type { Trade } from './schema.ts'
import { readTrade, selectTrade, statusOf, type TradeRow } from './trades.ts'

type End = Exclude<Trade['status'], 'open' | 'expired'>

/** Called by the fan who received the offer. A repeat returns the declined trade. */
export const declineTrade = (tx: Transaction, caller: Caller, tradeId: string) =>
  endOwn(tx, caller, tradeId, 'toId', 'declined')

/** Called by the fan who made the offer. A repeat returns the cancelled trade. */
export const cancelTrade = (tx: Transaction, caller: Caller, tradeId: string) =>
  endOwn(tx, caller, tradeId, 'fromId', 'cancelled')

async function endOwn(
  tx: Transaction,
  { userId }: Caller,
  tradeId: string,
  side: 'fromId' | 'toId',
  end: End,
): Promise<Trade> {
  const [found] = await selectTrade(tx, userId, tradeId)
  if (!found || found.trade[side] !== userId) throw new DomainError(tradeProblems.trade_not_found)
  const trade = await lockTrade(tx, tradeId)
  const status = statusOf(trade, tx.clock())
  if (status !== end) {
    if (status !== 'open') throw notOpen(status)
    await endTrade(tx, tradeId, end)
  }
  return readTrade(tx, { userId }, tradeId)
}

/** The trade must exist. */
export async function lockTrade(tx: Transaction, tradeId: string): Promise<TradeRow> {
  const trade = await selectLocked(tx, tradeId)
  if (!trade) throw new Error('a trade vanished')
  return trade
}

const selectLocked = preparedRow((tx: Transaction, tradeId: string) => {
  const { trades } = tx.tables
  return locksForUpdate(tx, tx.select().from(trades).where(eq(trades.id, tradeId)))
})

/** Requires that the trade is locked. */
export async function endTrade(tx: Transaction, tradeId: string, status: End): Promise<void> {
  await updateTrade(tx, tradeId, status, tx.now())
}

const updateTrade = prepared((tx: Transaction, tradeId: string, status: string, endedAt: Date) => {
  const { trades } = tx.tables
  return tx
    .update(trades)
    .set({ status, endedAt, version: sql`${trades.version} + 1` })
    .where(eq(trades.id, tradeId))
})

export const notOpen = (status: Trade['status']) =>
  new DomainError(tradeProblems.trade_not_open, { detail: `The offer is ${status}.` })

/** Voids the open offers of a fan who is being erased. Requires that the fan is locked. */
export async function voidTradesOf(tx: Transaction, userId: string): Promise<void> {
  const { trades } = tx.tables
  const isOpen = and(eq(trades.status, 'open'), gt(trades.expiresAt, tx.now()))
  const isOf = or(eq(trades.fromId, userId), eq(trades.toId, userId))
  // One order for all erasures prevents deadlocks.
  const open = await locksForUpdate(
    tx,
    tx.select({ id: trades.id }).from(trades).where(and(isOf, isOpen)).orderBy(asc(trades.id)),
  )
  if (open.length === 0) return
  const ids = open.map(({ id }) => id)
  await tx
    .update(trades)
    .set({ status: 'void', endedAt: tx.now(), version: sql`${trades.version} + 1` })
    .where(inArray(trades.id, ids))
}

/** Older reports have their evidence frozen. */
const KEPT_MS = 30 * 86_400_000

/** Offers that moved no items, and whose time ended before this, are deleted. */
export const endedKeptSince = (now: Date) => new Date(now.getTime() - KEPT_MS)

/** Deletes offers that moved no items, long after their time. Returns how many. */
export function deleteEndedTrades(db: Database): Promise<number> {
  const { trades, tradeItems } = db.tables
  // As the index states it.
  const isUnfinished = sql`${trades.status} <> 'completed'`
  return deleteLockedInBatches(
    db,
    trades,
    tx => and(isUnfinished, lte(trades.expiresAt, endedKeptSince(tx.now()))),
    [[tradeItems, tradeItems.tradeId]],
  )
}
