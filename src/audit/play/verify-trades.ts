/**
 * Compares completed trades with the histories of items: a trade must have moved each of its items once, and no other item.
 */
import { and, eq, isNull, like, ne, or, sql } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import type { Finding } from '../../core/finding.ts'

/** Selects by the fans who made offers and the fans who received items. A trade and its links are written together. */
export const findWrongTrades = async (reader: Reader, range: Range): Promise<Finding[]> => [
  ...(await findMissingLinks(reader, range)),
  ...(await findLinksWithoutTrade(reader, range)),
]

async function findMissingLinks(reader: Reader, range: Range): Promise<Finding[]> {
  const { trades, tradeItems: items, itemTransfers: links } = reader.tables
  const rows = await reader
    .select({ trade: trades, item: items, ownerId: links.ownerId })
    .from(trades)
    .innerJoin(items, eq(items.tradeId, trades.id))
    .leftJoin(
      links,
      and(
        ...[eq(links.collectibleId, items.collectibleId), eq(links.serialNumber, items.serialNumber)],
        eq(links.ref, sql`'trade:' || ${trades.id}`),
      ),
    )
    .where(and(inRange(trades.fromId, range), eq(trades.status, 'completed')))
  const moves = Map.groupBy(
    rows,
    ({ item }) => `${item.collectibleId}/${item.serialNumber} by ${item.tradeId}`,
  )
  return [...moves].flatMap(([move, [first, ...more]]) => {
    if (!first) return []
    const { trade, item, ownerId } = first
    const expected = item.side === 'give' ? trade.toId : trade.fromId
    const found = (column: string, expected: Finding['expected'], actual: Finding['actual']): Finding[] =>
      expected === actual ? [] : [{ userId: trade.fromId, what: `${column} of ${move}`, expected, actual }]
    return [
      ...found('item_transfers.owner_id', expected, ownerId),
      ...found('item_transfers.rows', 1, more.length + 1),
    ]
  })
}

async function findLinksWithoutTrade(reader: Reader, range: Range): Promise<Finding[]> {
  const { trades, tradeItems: items, itemTransfers: links } = reader.tables
  const rows = await reader
    .select({ link: links, status: trades.status, side: items.side })
    .from(links)
    .leftJoin(trades, eq(trades.id, sql`substr(${links.ref}, 7)`))
    .leftJoin(
      items,
      and(
        eq(items.tradeId, trades.id),
        ...[eq(items.collectibleId, links.collectibleId), eq(items.serialNumber, links.serialNumber)],
      ),
    )
    .where(
      and(
        ...[inRange(links.ownerId, range), like(links.ref, 'trade:%')],
        or(isNull(trades.status), ne(trades.status, 'completed'), isNull(items.side)),
      ),
    )
  return rows.map(({ link: { ownerId: userId, collectibleId, serialNumber, ref }, status }) => {
    const of = `of ${ref.slice('trade:'.length)} by ${collectibleId}/${serialNumber}`
    return status === 'completed'
      ? { userId, what: `trade_items.row ${of}`, expected: collectibleId, actual: null }
      : { userId, what: `trades.status ${of}`, expected: 'completed', actual: status }
  })
}
