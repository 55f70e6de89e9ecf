/** How many fans have how much in an account, so that a fan can judge a chance. */
import { and, eq, lt, min, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

const MAX_BANDS = 50
/** Fewer fans could be recognized. */
const MIN_FANS = 5

interface Band {
  from: number
  to: number
  fans: number
}

export async function readBands(reader: Reader, accountId: string) {
  const { fanAccounts: rows } = reader.tables
  const isCounted = and(eq(rows.accountId, accountId), lt(rows.minusTotal, 0))
  const asOf = reader.now().toISOString()
  const [lowest] = await reader
    .select({ minusTotal: min(rows.minusTotal) })
    .from(rows)
    .where(isCounted)
  const width = widthFor(-Number(lowest?.minusTotal ?? 0))
  const above = sql`(-${rows.minusTotal} - 1)`
  // Not a parameter: the expression must be the same in GROUP BY.
  const start = sql<number>`${above} - ${above} % ${sql.raw(String(width))}`.mapWith(Number).as('start')
  const counted = reader.select({ start }).from(rows).where(isCounted).as('counted')
  const found = await reader
    .select({ start: counted.start, fans: sql<number>`count(*)`.mapWith(Number) })
    .from(counted)
    .groupBy(counted.start)
    .orderBy(counted.start)
  const bands = joinSmall(found.map(({ start, fans }) => ({ from: start + 1, to: start + width, fans })))
  return { asOf, fans: bands.reduce((sum, { fans }) => sum + fans, 0), bands }
}

/** The smallest of 1, 2, 5, 10, 20, 50 … with which the bands suffice. */
export function widthFor(highest: number): number {
  for (let unit = 1; ; unit *= 10)
    for (const width of [unit, 2 * unit, 5 * unit]) if (width * MAX_BANDS >= highest) return width
}

/** Joins a band that is too small with the next one, and the last ones with the one below. */
export function joinSmall(bands: Band[]): Band[] {
  const joined: Band[] = []
  let open: Band | undefined
  for (const band of bands) {
    const wider: Band = open ? { from: open.from, to: band.to, fans: open.fans + band.fans } : band
    open = wider.fans < MIN_FANS ? wider : undefined
    if (!open) joined.push(wider)
  }
  const last = joined.pop()
  if (!last) return []
  return [...joined, open ? { from: last.from, to: open.to, fans: last.fans + open.fans } : last]
}
