/** Accepts an offer: all items get their new owners in one unit of work, or none does. */

import type { Transaction } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { isFrozen } from '../../identity/users/age.ts'
import { lockFan } from '../../identity/users/locks.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { HOUR_MS, lockOwners, nameOfItem } from '../packs/owners.ts'
import { transferItems } from '../packs/transfer-items.ts'
import { endTrade, lockTrade, notOpen } from './end.ts'
import { recordForBoth } from './events.ts'
import { findNotOwned, findResting, type Giving, notOwned, requireTradable, resting } from './items.ts'
import { tradeProblems } from './problems.ts'
import type { Trade, TradeAcceptance } from './schema.ts'
import { readItems, readTrade, selectTrade, statusOf, type TradeRow } from './trades.ts'

/**
 * A repeat returns the completed trade. Locks the fans, the trade, and its items in the order of ids. If an item has a new
 * owner, the offer becomes void, and the error is returned, not thrown, so that this is committed.
 */
export async function acceptTrade(
  tx: Transaction,
  { userId }: Caller,
  tradeId: string,
  { version }: TradeAcceptance,
  { tradeRestHours }: Pick<Settings, 'tradeRestHours'>,
): Promise<Trade | DomainError> {
  const [found] = await selectTrade(tx, userId, tradeId)
  if (found?.trade.toId !== userId) throw new DomainError(tradeProblems.trade_not_found)
  const from = await lockFan(tx, found.trade.fromId)
  const trade = await lockTrade(tx, tradeId)
  if (trade.status === 'completed') return readTrade(tx, { userId }, tradeId)
  if (trade.version !== version) throw new DomainError(tradeProblems.trade_changed)
  requireOpen(tx, trade, from)

  const items = await givingsOf(tx, trade)
  const owners = await lockOwners(tx, items)
  const missing = findNotOwned(items, owners)
  if (missing) {
    await endTrade(tx, tradeId, 'void')
    return notOwned(missing)
  }
  await requireTradable(tx, items)
  const restingItem = findResting(items, owners, tx.now(), tradeRestHours)
  if (restingItem) throw resting(restingItem, owners.get(nameOfItem(restingItem)), tradeRestHours)
  await completeTrade(tx, trade, items, new Date(tx.now().getTime() - tradeRestHours * HOUR_MS))
  return readTrade(tx, { userId }, tradeId)
}

/** `from`: who made the offer; undefined if the fan is erased or merged. */
function requireOpen(tx: Transaction, trade: TradeRow, from: Awaited<ReturnType<typeof lockFan>>): void {
  const status = statusOf(trade, tx.clock())
  if (status !== 'open' || !from) throw notOpen(status)
  if (isFrozen(from) || (from.suspendedUntil && from.suspendedUntil > tx.now()))
    throw new DomainError(tradeProblems.fan_cannot_trade)
}

/** In the order of the items' ids. */
async function givingsOf(tx: Transaction, { id, fromId, toId }: TradeRow): Promise<Giving[]> {
  const rows = (await readItems(tx, [id])).get(id) ?? []
  return rows.map(({ id: collectibleId, serialNumber, side }) =>
    side === 'give'
      ? { collectibleId, serialNumber, side, giverId: fromId }
      : { collectibleId, serialNumber, side: 'want', giverId: toId },
  )
}

/** `restedAt`: items must have got their owners before. */
async function completeTrade(tx: Transaction, trade: TradeRow, items: Giving[], restedAt: Date) {
  const { id, fromId, toId } = trade
  const transfers = items.map(({ side: _, giverId, ...item }) => ({
    ...item,
    fromId: giverId,
    toId: giverId === fromId ? toId : fromId,
  }))
  const areMoved = await transferItems(tx, transfers, { ref: `trade:${id}`, restedAt })
  if (!areMoved) throw new Error('an item changed while it was locked')
  await endTrade(tx, id, 'completed')
  const give = items.filter(({ side }) => side === 'give').length
  await recordForBoth(tx, 'trade.completed', { ...trade, give, want: items.length - give })
}
