import { asc, eq, or } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { itemsOf, readItems, statusOf } from './trades.ts'

/** The trades that the fan offered or received, oldest first. */
export async function exportTrades(reader: Reader, userId: string) {
  const { trades } = reader.tables
  const rows = await reader
    .select()
    .from(trades)
    .where(or(eq(trades.fromId, userId), eq(trades.toId, userId)))
    .orderBy(asc(trades.id))
  const items = await readItems(
    reader,
    rows.map(({ id }) => id),
  )
  return rows.map(trade => {
    const own = items.get(trade.id) ?? []
    const status = statusOf(trade, reader.now())
    return { ...trade, status, give: itemsOf(own, 'give'), want: itemsOf(own, 'want') }
  })
}
