/** Offers a trade or a gift. The items stay with their owners until it is accepted. */

import { and, count, eq, gt } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { fanNotFound } from '../../identity/relations/find-fan.ts'
import { listHidden } from '../../identity/relations/visibility.ts'
import { isFrozen } from '../../identity/users/age.ts'
import { lockHandle, lockToCount } from '../../identity/users/locks.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { nameOfItem, readOwners } from '../packs/owners.ts'
import { recordForBoth } from './events.ts'
import {
  findNotOwned,
  findResting,
  findUnseen,
  type Giving,
  notOwned,
  requireTradable,
  resting,
} from './items.ts'
import { tradeProblems } from './problems.ts'
import type { Trade, TradeOffer } from './schema.ts'
import { readTrade } from './trades.ts'

const OPEN_MS = 7 * 86_400_000

export type TradeLimits = Pick<Settings, 'openTradesPerFan' | 'tradeRestHours'>

export async function offerTrade(
  tx: Transaction,
  { userId: fromId }: Caller,
  { to, give, want = [] }: TradeOffer,
  { openTradesPerFan, tradeRestHours }: TradeLimits,
): Promise<Trade> {
  const toId = await lockPartner(tx, fromId, to)
  await lockToCount(tx, fromId)
  const open = await countOpen(tx, fromId, tx.clock())
  if ((open?.count ?? 0) >= openTradesPerFan) throw new DomainError(tradeProblems.too_many_open_trades)
  const wanted = want.map((item): Giving => ({ ...item, side: 'want', giverId: toId }))
  const items = [...give.map((item): Giving => ({ ...item, side: 'give', giverId: fromId })), ...wanted]
  const owners = await readOwners(tx, items)
  const missing = findNotOwned(items, owners) ?? (await findUnseen(tx, fromId, toId, wanted))
  if (missing) throw notOwned(missing)
  await requireTradable(tx, items)
  const restingItem = findResting(items, owners, tx.now(), tradeRestHours)
  if (restingItem) throw resting(restingItem, owners.get(nameOfItem(restingItem)), tradeRestHours)

  const now = tx.now()
  const trade = { id: tx.newId(), fromId, toId, status: 'open', version: 1, createdAt: now }
  const { trades, tradeItems } = tx.tables
  await tx.insert(trades).values({ ...trade, expiresAt: new Date(now.getTime() + OPEN_MS) })
  await tx.insert(tradeItems).values(items.map(({ giverId: _, ...item }) => ({ ...item, tradeId: trade.id })))
  await recordForBoth(tx, 'trade.offered', { ...trade, give: give.length, want: want.length })
  // never trade_not_found: it was written above.
  return readTrade(tx, { userId: fromId }, trade.id)
}

/** A fan who is hidden from the caller is not found, with the same statements as for an unknown handle. */
async function lockPartner(tx: Transaction, fromId: string, handle: string): Promise<string> {
  const found = await lockHandle(tx, handle)
  if (found?.id === fromId) throw new DomainError(tradeProblems.cannot_trade_with_yourself)
  const hidden = await listHidden(tx, fromId, [found?.id ?? ''])
  if (!found || found.hiddenAt || hidden.size > 0) throw fanNotFound()
  if (isFrozen(found) || (found.suspendedUntil && found.suspendedUntil > tx.now()))
    throw new DomainError(tradeProblems.fan_cannot_trade)
  return found.id
}

const countOpen = preparedRow((tx: Transaction, fromId: string, now: Date) => {
  const { trades } = tx.tables
  return tx
    .select({ count: count() })
    .from(trades)
    .where(and(eq(trades.fromId, fromId), eq(trades.status, 'open'), gt(trades.expiresAt, now)))
})
