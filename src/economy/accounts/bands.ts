/** How many fans have how much in an account, so that a fan can judge a chance. */
import { and, between, eq, lt, min, type SQL, sql } from 'drizzle-orm'
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
  const all = Array.from({ length: MAX_BANDS }, (_, n) => ({ from: n * width + 1, to: (n + 1) * width }))
  // A range of the index for each band: to group the rows takes four times as long.
  const counts: Record<string, SQL<number>> = {}
  for (const [n, { from, to }] of all.entries()) {
    const isIn = and(eq(rows.accountId, accountId), between(rows.minusTotal, -to, -from))
    counts[`band_${n}`] = sql<number>`(select count(*) from ${rows} where ${isIn})`.mapWith(Number)
  }
  const [found] = await reader.select(counts).from(rows).where(isCounted).limit(1)
  const filled = all
    .map((band, n) => ({ ...band, fans: found?.[`band_${n}`] ?? 0 }))
    .filter(({ fans }) => fans > 0)
  const bands = joinSmall(filled)
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
