/**
 * Settles predictions of a match in batches. A batch is one unit of work: it locks the settlement, settles the next fans, and
 * moves the cursor. After a crash the next batch begins where the last committed one ended, in any process.
 */
import { and, asc, eq, gt, inArray, isNull, lte, ne, or } from 'drizzle-orm'
import { insertRows } from '../../db/bulk.ts'
import type { Reader, Transaction } from '../../db/index.ts'
import { earnsPoints, recordForMany } from '../events/record-for-many.ts'
import type { DataOf } from '../events/types.ts'
import { listTaken, voidForMany } from '../events/void-for-many.ts'
import { advanceSettlement, lockDueSettlement, type Settlement } from '../matches/settlements.ts'
import { listMismatched } from '../points/ledger.ts'
import { type Ledgers, lockAccounts, openLedgers } from '../points/ledgers.ts'
import { predictionRefOf } from '../points/reasons.ts'
import type { PredictionRow } from './present.ts'
import type { PredictionPoints } from './score.ts'
import { isSettledAs, type Target, targetOf } from './target.ts'

/** SQLite's other writers wait for a whole batch. */
const FANS = 200
/** Longer than any unit of work: a prediction that was accepted before the result was written is committed by then. */
const SETTLED_MS = 60_000
/** Before fans whose accounts do not match their ledgers are tried again. */
const RETRY_MS = 600_000

const TYPE = 'prediction.settled'

export interface Batch {
  /** Fans who were not settled, because their accounts do not match their ledgers. */
  mismatched: string[]
  /** Whether another batch can run at once. */
  more: boolean
}

/** Null if nothing of the match is due, for example because another process has settled it. */
export async function settleBatch(
  tx: Transaction,
  matchId: string,
  points: PredictionPoints,
): Promise<Batch | null> {
  const settlement = await lockDueSettlement(tx, matchId, points)
  if (!settlement) return null
  const next = await selectNext(tx, settlement, (await earnsPoints(tx, TYPE)) ? 1 : FANS)
  const last = (await cutBatch(tx, next, settlement)).at(-1)?.userId
  if (last === undefined) return { mismatched: [], more: await endPass(tx, settlement) }
  const rows = await lockPredictions(tx, settlement, last)
  await advanceSettlement(tx, matchId, { ...settlement, cursor: last })
  return { mismatched: await settleFans(tx, rows, settlement), more: true }
}

/** The condition for predictions after the cursor that do not follow the settlement. */
function isDue({ tables: { predictions } }: Pick<Reader, 'tables'>, settlement: Settlement) {
  const { matchId, cursor, revision } = settlement
  return and(
    eq(predictions.matchId, matchId),
    gt(predictions.userId, cursor),
    or(isNull(predictions.revision), ne(predictions.revision, revision)),
  )
}

function selectNext(reader: Reader, settlement: Settlement, limit: number): Promise<PredictionRow[]> {
  const { predictions } = reader.tables
  return reader
    .select()
    .from(predictions)
    .where(isDue(reader, settlement))
    .orderBy(asc(predictions.userId))
    .limit(limit)
}

/** A prediction whose event has earned points or moved quests is a batch of its own if it is settled again. */
async function cutBatch(reader: Reader, rows: PredictionRow[], settlement: Settlement) {
  const taken = await listTaken(
    reader,
    rows.filter(row => !isSettledAs(row, targetOf(row, settlement))).flatMap(settledEventOf),
  )
  const at = rows.findIndex(row => settledEventOf(row).some(({ eventId }) => taken.has(eventId)))
  return at < 0 ? rows : rows.slice(0, Math.max(at, 1))
}

/** Marks the rows up to a fan, and reads them again: a fan may have changed one meanwhile. In the order of the fans. */
async function lockPredictions(tx: Transaction, settlement: Settlement, last: string) {
  const { predictions } = tx.tables
  const rows = await tx
    .update(predictions)
    .set({ revision: settlement.revision })
    .where(and(isDue(tx, settlement), lte(predictions.userId, last)))
    .returning()
  return rows.toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
}

interface Settling {
  row: PredictionRow
  target: Target
}

/** Returns the fans who were not settled. */
async function settleFans(tx: Transaction, rows: PredictionRow[], settlement: Settlement): Promise<string[]> {
  const changing = rows
    .map(row => ({ row, target: targetOf(row, settlement) }))
    .filter(({ row, target }) => !isSettledAs(row, target))
  // Also of those who get no points: other units of work lock the account, then buckets, and then write an event of the fan.
  const userIds = changing.map(({ row }) => row.userId)
  await lockAccounts(tx, userIds)
  const mismatched = await listMismatched(tx, userIds)
  const settling = changing.filter(({ row }) => !mismatched.has(row.userId))
  await voidForMany(
    tx,
    settling.flatMap(({ row }) => settledEventOf(row)),
  )
  const ledgers = await openLedgers(
    tx,
    userIds.filter(userId => !mismatched.has(userId)),
    {
      reason: 'prediction',
      ref: predictionRefOf(settlement),
      refsBefore: refsBefore(settling, settlement),
    },
  )
  const settled = settling.map(of => ({ ...of, booked: bookPoints(ledgers, of, settlement) }))
  await ledgers.write()
  await writeTargets(tx, settled, settlement)
  await recordSettled(tx, settling, settlement)
  await unmark(tx, settlement, [...mismatched])
  await ledgers.writeScores()
  return [...mismatched]
}

/** Of the revisions by which they are settled. */
const refsBefore = (settling: Settling[], settlement: Settlement) =>
  [...new Set(settling.flatMap(({ row }) => row.settledBy ?? []))].map(revision =>
    predictionRefOf({ ...settlement, revision }),
  )

/** Takes back what the fan has not spent. The rest counts towards the new points. Returns the sum of the prediction's entries. */
function bookPoints(ledgers: Ledgers, { row, target }: Settling, settlement: Settlement): number {
  const { userId, settledBy } = row
  const refBefore = settledBy === null ? null : predictionRefOf({ ...settlement, revision: settledBy })
  const taken = refBefore === null ? 0 : ledgers.takeBack(userId, refBefore)
  const left = row.booked - taken
  if (target.points <= left) return left
  ledgers.append(userId, target.points - left)
  return target.points
}

async function writeTargets(
  tx: Transaction,
  settled: (Settling & { booked: number })[],
  { revision }: Settlement,
) {
  const rows = settled.map(({ row, target, booked }) => {
    const isSettled = target.state === 'settled'
    const by = { settledAt: isSettled ? tx.now() : null, settledBy: isSettled ? revision : null }
    return { ...row, ...target, ...by, booked }
  })
  await insertRows(tx, tx.tables.predictions, rows, {
    set: ['state', 'points', 'outcome', 'difference', 'exact', 'booked', 'settledAt', 'settledBy'],
  })
}

function recordSettled(tx: Transaction, settling: Settling[], settlement: Settlement): Promise<void> {
  const events = settling.flatMap(({ row, target }) => {
    const data = settledData(row, target, settlement)
    return data ? [{ ...eventOf(row, settlement.revision), data }] : []
  })
  return recordForMany(tx, TYPE, events)
}

/** The data of the event; null if the settlement gives no result. */
export function settledData(
  { homeScore, awayScore }: Pick<PredictionRow, 'homeScore' | 'awayScore'>,
  target: Target,
  { matchId, revision, ...result }: Settlement,
): DataOf<typeof TYPE> | null {
  if (target.state !== 'settled' || result.homeScore === null || result.awayScore === null) return null
  const { outcome, difference, exact, points } = target
  const scores = {
    predicted: { homeScore, awayScore },
    result: { homeScore: result.homeScore, awayScore: result.awayScore },
  }
  return { matchId, revision, ...scores, outcome, difference, exact, points }
}

/** The next pass tries them again. */
async function unmark(tx: Transaction, { matchId }: Settlement, userIds: string[]): Promise<void> {
  if (userIds.length === 0) return
  const { predictions } = tx.tables
  await tx
    .update(predictions)
    .set({ revision: null })
    .where(and(eq(predictions.matchId, matchId), inArray(predictions.userId, userIds)))
}

/** Starts the last pass, or ends the settlement. True if the next batch can run at once. */
async function endPass(tx: Transaction, settlement: Settlement): Promise<boolean> {
  const now = tx.now()
  const start = { cursor: '', lastPass: true }
  const next = (dueAt: Date | null) => advanceSettlement(tx, settlement.matchId, { ...start, dueAt })
  if (!settlement.lastPass) {
    const safe = new Date(settlement.revisedAt.getTime() + SETTLED_MS)
    await next(safe > now ? safe : now)
    return safe <= now
  }
  const [left] = await selectNext(tx, { ...settlement, cursor: '' }, 1)
  await next(left ? new Date(now.getTime() + RETRY_MS) : null)
  return false
}

export const eventIdOf = ({ matchId, userId }: Pick<PredictionRow, 'matchId' | 'userId'>, revision: number) =>
  `prediction:${userId}:${matchId}:${revision}`

const eventOf = (row: PredictionRow, revision: number) => {
  return { userId: row.userId, eventId: eventIdOf(row, revision) }
}
/** Of the result that the prediction is settled by. */
const settledEventOf = (row: PredictionRow) => (row.settledBy === null ? [] : [eventOf(row, row.settledBy)])
