/** Deletes the counted events of settled periods: see `isSettled`. What was counted stays in the progress. */
import { and, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import { restAfter } from '../../../db/batches.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { eachPage } from '../../../db/keyset.ts'
import { prepared } from '../../../db/prepared.ts'
import { isOf, type PeriodKey } from './rows.ts'
import { CLOSES_AFTER_MS, isSettled } from './state.ts'

/** Periods that are read, or whose counted events are deleted, in one turn. */
const PAGE = 200

/** Reads all periods that have counted events, and returns how many of them it has swept. */
export async function sweepCounts(
  db: Pick<Database, 'read' | 'write'>,
  stopRequested = () => false,
): Promise<number> {
  let swept = 0
  for await (const periods of eachPeriod(db.read)) {
    if (stopRequested()) break
    const began = performance.now()
    const settled = periods.filter(row => isSettled(row, db.read.now()))
    if (settled.length > 0)
      await db.write(async tx => {
        for (const key of settled) await deleteSettled(tx, key, closedUntil(tx.now()))
      })
    swept += settled.length
    await restAfter(began)
  }
  return swept
}

function eachPeriod(reader: Reader) {
  const { questCounts, questProgress } = reader.tables
  const { userId, questId, period } = questCounts
  const { claimedAt, completedAt, endsAt } = questProgress
  return eachPage(
    { userId, questId, period },
    after =>
      reader
        .selectDistinct({ userId, questId, period, claimedAt, completedAt, endsAt })
        .from(questCounts)
        .innerJoin(questProgress, isOf(questProgress, { userId, questId, period }))
        .where(after),
    { size: PAGE },
  )
}

const closedUntil = (now: Date) => new Date(now.getTime() - CLOSES_AFTER_MS)

/** Checks again: a merge can have replaced the period meanwhile. */
const deleteSettled = prepared((tx: Transaction, { userId, questId, period }: PeriodKey, closed: Date) => {
  const { questCounts, questProgress } = tx.tables
  const { claimedAt, completedAt, endsAt } = questProgress
  const key = { userId, questId, period }
  const isNowSettled = or(isNotNull(claimedAt), and(isNull(completedAt), lte(endsAt, closed)))
  const settled = tx
    .select({ one: sql`1` })
    .from(questProgress)
    .where(and(isOf(questProgress, key), isNowSettled))
  return tx.delete(questCounts).where(and(isOf(questCounts, key), sql`exists ${settled}`))
})
