/**
 * Settles predictions of a match in batches. A batch is one unit of work: it locks the settlement, settles the next fans, and
 * moves the cursor. After a crash the next batch begins where the last committed one ended, in any process.
 */
import { and, asc, eq, gt, inArray, isNull, lte, ne, or } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { advanceSettlement, lockDueSettlement, type Settlement } from '../../club/matches/settlements.ts'
import type { NewEvent } from '../../economy/events/event.ts'
import { openRecording } from '../../economy/events/recording.ts'
import { APPLICATION, type DataOf } from '../../economy/events/types.ts'
import { type Cause, predictionRefOf } from '../../economy/ledgers/reasons.ts'
import type { Ledgers } from '../../economy/points/ledger.ts'
import { carryLatePoints } from '../../economy/points/personal-data.ts'
import type { Batch } from '../../economy/points/settle-in-batches.ts'
import { followMerges } from '../../identity/users/merges.ts'
import { hasJoker, lockReturningJokers, returnJokers } from './jokers.ts'
import type { PredictionRow } from './predictions.ts'
import type { PredictionPoints, Split } from './score.ts'
import { findSplit } from './split.ts'
import { bonusOf, isSettledAs, type Target, targetOf } from './target.ts'

/** Longer than any unit of work: after this time, every prediction that was accepted before the result is committed. */
const SETTLED_MS = 60_000
/** Time before fans whose accounts do not match their ledgers are tried again. */
const RETRY_MS = 600_000

const TYPE = 'prediction.settled'

/** Settles up to `fans` fans. Null if the match has nothing due, for example because another process has settled it. */
export async function settleBatch(
  tx: Transaction,
  matchId: string,
  points: PredictionPoints,
  fans: number,
): Promise<Batch | null> {
  const settlement = await lockDueSettlement(tx, matchId, points)
  if (!settlement) return null
  const next = await selectNext(tx, settlement, fans)
  const last = next.at(-1)?.userId
  if (last === undefined) return { mismatched: [], more: await endPass(tx, settlement) }
  if (settlement.action !== 'void') await lockReturningJokers(tx, next)
  const rows = await lockPredictions(tx, settlement, last)
  await advanceSettlement(tx, matchId, { ...settlement, cursor: last })
  const split = (await findSplit(tx, matchId)) ?? null
  return { mismatched: await settleFans(tx, rows, { ...settlement, split }), more: true }
}

type Due = Pick<Settlement, 'matchId' | 'cursor' | 'revision'>

/** The condition for predictions after the cursor that are not settled by this result. */
function isDue({ tables: { predictions } }: Pick<Reader, 'tables'>, { matchId, cursor, revision }: Due) {
  return and(
    eq(predictions.matchId, matchId),
    gt(predictions.userId, cursor),
    or(isNull(predictions.revision), ne(predictions.revision, revision)),
  )
}

const selectDue = prepared((reader: Reader, due: Due, limit: number) => {
  const { predictions } = reader.tables
  return reader
    .select()
    .from(predictions)
    .where(isDue(reader, due))
    .orderBy(asc(predictions.userId))
    .limit(limit)
})

const selectNext = (reader: Reader, { matchId, cursor, revision }: Settlement, limit: number) =>
  selectDue(reader, { matchId, cursor, revision }, limit)

/** Marks the rows up to a fan and reads them again, since a fan may have changed one meanwhile. In the order of the fans. */
async function lockPredictions(
  tx: Transaction,
  { matchId, cursor, revision }: Settlement,
  last: string,
): Promise<PredictionRow[]> {
  const rows = await markDue(tx, { matchId, cursor, revision }, last)
  return rows.toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
}

const markDue = prepared((tx: Transaction, due: Due, last: string) => {
  const { predictions } = tx.tables
  return tx
    .update(predictions)
    .set({ revision: due.revision })
    .where(and(isDue(tx, due), lte(predictions.userId, last)))
    .returning()
})

/** What the points of a match follow from. */
export type Scoring = Settlement & { split: Split | null }

interface Settling {
  row: PredictionRow
  target: Target
}

/** Returns the fans who were not settled. */
async function settleFans(tx: Transaction, rows: PredictionRow[], settlement: Scoring): Promise<string[]> {
  const settlingOf = (row: PredictionRow) => ({ row, target: targetOf(row, settlement, settlement.split) })
  const isChanging = ({ row, target }: Settling) => !isSettledAs(row, target)
  const changed = rows.map(settlingOf).filter(isChanging)
  const changing = (
    await returnJokers(
      tx,
      changed.map(({ row }) => row),
    )
  ).map(settlingOf)
  const now = tx.now()
  // Includes fans who get no points: other units of work also lock the account, then buckets, and then write an event of the
  // fan.
  const recording = await openRecording(
    tx,
    changing.map(({ row }) => row.userId),
    changing.flatMap(({ row }) => causesOf(row, settlement)),
    await followMerges(
      tx,
      changing.map(({ row }) => row.userId),
    ),
  )
  const { fansOf } = recording.ledgers
  // A full account must not hold up other fans.
  const canBook = ({ row, target }: Settling) =>
    recording.ledgers.canBook(row.userId, target.points - row.booked)
  const settling = changing.filter(canBook)
  const mismatched = changing.filter(of => !canBook(of)).map(({ row }) => row.userId)
  await recording.loadVoids(settling.flatMap(({ row }) => settledEventOf(row)))
  await recording.load(settling.flatMap(of => eventOf(of, settlement, { now, fansOf })))
  const settled: (Settling & { booked: number })[] = []
  for (const of of settling) {
    for (const key of settledEventOf(of.row)) await recording.void(key)
    settled.push({ ...of, booked: bookPoints(recording.ledgers, of, settlement) })
    for (const event of eventOf(of, settlement, { now, fansOf })) await recording.record(event)
  }
  await recording.write()
  await carryLatePoints(
    tx,
    settled.map(({ row }) => row.userId),
  )
  await writeTargets(tx, settled, settlement)
  await unmark(tx, settlement, mismatched)
  return mismatched
}

/** The ref of the ledger entry that settled a prediction; null for none. */
const refBefore = ({ settledBy }: PredictionRow, settlement: Settlement): string | null =>
  settledBy === null ? null : predictionRefOf({ ...settlement, revision: settledBy })

/** The entries that `bookPoints` needs to know. */
function causesOf(row: PredictionRow, settlement: Settlement): Cause[] {
  const { userId } = row
  const before = refBefore(row, settlement)
  return [
    { userId, reason: 'prediction', ref: predictionRefOf(settlement) },
    ...(before === null
      ? []
      : ['prediction', 'prediction_void'].map(reason => ({ userId, reason, ref: before }))),
  ]
}

/**
 * Takes back points that the fan has not spent. The rest counts towards the new points. Returns the sum of the prediction's
 * entries.
 */
function bookPoints(ledgers: Ledgers, { row, target }: Settling, settlement: Settlement): number {
  const { userId } = row
  const before = refBefore(row, settlement)
  const taken = before === null ? 0 : ledgers.takeBack({ userId, reason: 'prediction', ref: before }).points
  const left = row.booked - taken
  if (target.points <= left) return left
  const delta = target.points - left
  ledgers.append({ userId, delta, reason: 'prediction', ref: predictionRefOf(settlement) })
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

/** The event of a prediction that gets a result. */
function eventOf(
  { row, target }: Settling,
  settlement: Scoring,
  { now, fansOf }: { now: Date } & Pick<Ledgers, 'fansOf'>,
): NewEvent[] {
  const data = settledData(row, target, settlement)
  if (!data) return []
  // The points of a merged fan's prediction are booked in that fan's ledger and carried over. The event belongs to the fan
  // who remains.
  const userId = fansOf(row.userId).at(-1) ?? row.userId
  return [{ ...keyOf(row, settlement.revision), userId, type: TYPE, occurredAt: now, data }]
}

/** The data of the event; null if the prediction gets no result. */
export function settledData(
  row: Pick<PredictionRow, 'homeScore' | 'awayScore' | 'jokerRound'>,
  target: Target,
  settlement: Scoring,
): DataOf<typeof TYPE> | null {
  const { homeScore, awayScore } = row
  const { matchId, revision, split, ...result } = settlement
  if (target.state !== 'settled' || result.homeScore === null || result.awayScore === null) return null
  const { outcome, difference, exact, points } = target
  const scores = {
    predicted: { homeScore, awayScore },
    result: { homeScore: result.homeScore, awayScore: result.awayScore },
  }
  const bonus = outcome && !difference ? bonusOf(row, settlement, split) : 0
  return {
    matchId,
    revision,
    ...scores,
    outcome,
    difference,
    exact,
    points,
    ...(bonus > 0 ? { bonus } : {}),
    ...(hasJoker(row) ? { joker: true as const } : {}),
  }
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

const keyOf = (row: PredictionRow, revision: number) => ({
  source: APPLICATION,
  eventId: eventIdOf(row, revision),
})
/** The event of the result that settled the prediction. */
const settledEventOf = (row: PredictionRow) => (row.settledBy === null ? [] : [keyOf(row, row.settledBy)])
