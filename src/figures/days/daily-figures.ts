/** Figures of each day (UTC): stored when the day is over. */
import { gte } from 'drizzle-orm'
import { restAfter } from '../../../db/batches.ts'
import type { Database, Reader } from '../../../db/index.ts'
import { countDay, DAY_MS, type DailyFigures, dayOf, daysUntil, findFirstDay } from './count-day.ts'

/** The default retention of the data of events: older days cannot be counted. */
const KEPT_DAYS = 400
/** After this time, units of work that began before midnight have ended. */
const SETTLED_AFTER_MS = 10 * 60_000

/** The stored days, by day. */
export async function readDailyFigures(reader: Reader, from: string): Promise<Map<string, DailyFigures>> {
  const { dailyFigures } = reader.tables
  const rows = await reader.select().from(dailyFigures).where(gte(dailyFigures.day, from))
  return new Map(rows.map(({ day, ...figures }) => [day, figures]))
}

/** Counts days that are over and not stored yet, newest first. Several processes may do it at once. */
export async function keepDailyFigures(db: Database, stopRequested: () => boolean): Promise<number> {
  const now = db.read.now().getTime()
  const first = await findFirstDay(db.read)
  if (first === null) return 0
  const last = dayOf(new Date(now - DAY_MS - SETTLED_AFTER_MS))
  const wanted = daysUntil(last, KEPT_DAYS).filter(day => day >= first)
  const kept = await readDailyFigures(db.read, wanted[0] ?? last)
  let written = 0
  for (const day of wanted.toReversed()) {
    if (kept.has(day)) continue
    if (stopRequested()) break
    const began = performance.now()
    await keepDay(db, day)
    written += 1
    await restAfter(began)
  }
  return written
}

async function keepDay(db: Database, day: string): Promise<void> {
  const figures = await countDay(db.read, day)
  await db.write(tx =>
    tx
      .insert(tx.tables.dailyFigures)
      .values({ day, ...figures })
      .onConflictDoNothing(),
  )
}
