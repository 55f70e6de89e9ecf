/**
 * Trades, read for one of the two fans. A trade with a fan who is hidden from the viewer is not found. An offer (`offer.ts`) is
 * open until it is completed (`accept.ts`), declined, cancelled or void (`end.ts`), or expires.
 */
import { and, asc, desc, eq, lt, or } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { isVisible } from '../../identity/relations/visibility.ts'
import { fanHandles } from '../../identity/users/public-profile.ts'
import { collectiblesToShow } from '../packs/packs.ts'
import { tradeProblems } from './problems.ts'
import type { Trade, TradeItem } from './schema.ts'

export type TradeRow = Tables['trades']['$inferSelect']

/** Includes expiry, which is not stored. */
export const statusOf = ({ status, expiresAt }: TradeRow, now: Date) =>
  // Guarantee of the cast: a constraint of the table.
  status === 'open' && expiresAt <= now ? 'expired' : (status as Exclude<Trade['status'], 'expired'>)

/** The offers that the fan made or received, newest first. @throws DomainError `invalid_cursor` */
export async function listTrades(reader: Reader, cursors: Cursors, { userId }: Viewer, page: Page) {
  const list = `trades ${userId}`
  const before = cursors.decode(list, page.cursor)
  const limit = page.limit + 1
  const rows = [
    ...(await selectMade(reader, userId, limit, before)),
    ...(await selectReceived(reader, userId, limit, before)),
  ]
  const latest = rows.toSorted((one, other) => (one.trade.id < other.trade.id ? 1 : -1)).slice(0, limit)
  const { shown, nextCursor } = cutPage(latest, page.limit, last => cursors.encode(list, last.trade.id))
  return { trades: await presentTrades(reader, shown), nextCursor }
}

/** @throws DomainError `trade_not_found`, also for a trade of other fans */
export async function readTrade(reader: Reader, { userId }: Viewer, tradeId: string): Promise<Trade> {
  const rows = await selectTrade(reader, userId, tradeId)
  const [trade] = await presentTrades(reader, rows)
  if (!trade) throw new DomainError(tradeProblems.trade_not_found)
  return trade
}

/** The trade and the other fan, even if that fan is hidden from this one. Undefined if the fan has no part in the trade. */
export async function findParties(reader: Reader, userId: string, tradeId: string) {
  const row = await selectParties(reader, userId, tradeId)
  return row && { row, otherId: row.fromId === userId ? row.toId : row.fromId }
}

const selectParties = preparedRow((reader: Reader, userId: string, tradeId: string) => {
  const { trades } = reader.tables
  const isParty = or(eq(trades.fromId, userId), eq(trades.toId, userId))
  return reader
    .select()
    .from(trades)
    .where(and(eq(trades.id, tradeId), isParty))
})

/** The content of a trade, without its fans and without texts of the catalogue. */
export async function describeTrade(reader: Reader, row: TradeRow) {
  const items = (await readItems(reader, [row.id])).get(row.id) ?? []
  const { id, version, createdAt, expiresAt, endedAt } = row
  const status = statusOf(row, reader.now())
  const [give, want] = [itemsOf(items, 'give'), itemsOf(items, 'want')]
  return { id, give, want, status, version, createdAt, expiresAt, endedAt }
}

/** Ids sort by time of creation. */
const selectOf = (side: 'fromId' | 'toId') =>
  prepared((reader: Reader, userId: string, limit: number, before?: string) => {
    const { trades } = reader.tables
    const isBefore = before === undefined ? undefined : lt(trades.id, before)
    return withHandles(reader)
      .where(and(isOf(reader, side, userId), isBefore))
      .orderBy(desc(trades.id))
      .limit(limit)
  })

const selectMade = selectOf('fromId')
const selectReceived = selectOf('toId')

export const selectTrade = prepared((reader: Reader, userId: string, tradeId: string) =>
  withHandles(reader).where(
    and(
      eq(reader.tables.trades.id, tradeId),
      or(isOf(reader, 'fromId', userId), isOf(reader, 'toId', userId)),
    ),
  ),
)

function isOf(reader: Reader, side: 'fromId' | 'toId', userId: string) {
  const { trades } = reader.tables
  const other = trades[side === 'fromId' ? 'toId' : 'fromId']
  return and(eq(trades[side], userId), isVisible(reader, userId, other))
}

function withHandles(reader: Reader) {
  const { trades } = reader.tables
  const [from, to] = [fanHandles(reader).as('from_fan'), fanHandles(reader).as('to_fan')]
  return reader
    .select({ trade: trades, from: from.handle, to: to.handle })
    .from(trades)
    .leftJoin(from, eq(from.userId, trades.fromId))
    .leftJoin(to, eq(to.userId, trades.toId))
}

interface NamedTrade {
  trade: TradeRow
  from: string | null
  to: string | null
}

async function presentTrades(reader: Reader, rows: NamedTrade[]): Promise<Trade[]> {
  const items = await readItems(
    reader,
    rows.map(({ trade }) => trade.id),
  )
  const now = reader.now()
  return rows.map(({ trade, from, to }) => {
    const own = items.get(trade.id) ?? []
    return {
      id: trade.id,
      from,
      to,
      give: presentItems(own, 'give'),
      want: presentItems(own, 'want'),
      status: statusOf(trade, now),
      version: trade.version,
      createdAt: trade.createdAt.toISOString(),
      expiresAt: trade.expiresAt.toISOString(),
      endedAt: trade.endedAt?.toISOString() ?? null,
    }
  })
}

function presentItems(items: ItemRow[], wanted: Side): TradeItem[] {
  return items
    .filter(({ side }) => side === wanted)
    .map(({ serialNumber, tradeId: _, side: __, ...collectible }) => {
      const { id, name, imageUrl, rarity } = presentTexts(collectible)
      return { collectibleId: id, serialNumber, name, imageUrl, rarity }
    })
}

export const itemsOf = (items: ItemRow[], wanted: Side) =>
  items
    .filter(({ side }) => side === wanted)
    .map(({ id, serialNumber }) => ({ collectibleId: id, serialNumber }))

/** By trade, in the order of the items' ids. */
export async function readItems(reader: Reader, tradeIds: string[]): Promise<Map<string, ItemRow[]>> {
  if (tradeIds.length === 0) return new Map()
  return Map.groupBy(await selectItems(reader, toList(tradeIds)), ({ tradeId }) => tradeId)
}

const selectItems = prepared((reader: Reader, tradeIds: string) => {
  const { tradeItems: items } = reader.tables
  const { tradeId, side, serialNumber } = items
  const collectible = collectiblesToShow(reader).as('collectible')
  const { id, name, description, imageUrl, rarity, translations } = collectible
  return reader
    .select({ tradeId, side, serialNumber, id, name, description, imageUrl, rarity, translations })
    .from(items)
    .innerJoin(collectible, eq(id, items.collectibleId))
    .where(isListed(reader, tradeId, tradeIds))
    .orderBy(asc(tradeId), asc(items.collectibleId), asc(serialNumber))
})
type ItemRow = Awaited<ReturnType<typeof selectItems>>[number]
type Side = 'give' | 'want'
