/**
 * Settles the votes of a question in batches. A batch is one unit of work: it locks the settlement, settles the next fans, and
 * moves the cursor. After a crash the next batch begins where the last committed one ended, in any process.
 */
import { and, asc, eq, gt, inArray, isNull, lte, ne, or } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { NewEvent } from '../../economy/events/event.ts'
import { openRecording } from '../../economy/events/recording.ts'
import { APPLICATION, type DataOf } from '../../economy/events/types.ts'
import { type Cause, questionRefOf } from '../../economy/ledgers/reasons.ts'
import type { Ledgers } from '../../economy/points/ledger.ts'
import { carryLatePoints } from '../../economy/points/personal-data.ts'
import type { Batch } from '../../economy/points/settle-in-batches.ts'
import { followMerges } from '../../identity/users/merges.ts'
import { findQuestion, type QuestionRow, type VoteRow } from './questions.ts'
import { advanceSettlement, lockDueSettlement, type Settlement } from './settlements.ts'

/** Longer than any unit of work: after this time, every vote that was accepted before the close is committed. */
const SETTLED_MS = 60_000
/** Time before fans whose accounts do not match their ledgers are tried again. */
const RETRY_MS = 600_000

const TYPE = 'question.answered'

type Question = Pick<QuestionRow, 'matchId' | 'kind'>

/** Settles up to `fans` fans. Null if the question has nothing due, for example because another process has settled it. */
export async function settleBatch(tx: Transaction, questionId: string, fans: number): Promise<Batch | null> {
  const settlement = await lockDueSettlement(tx, questionId)
  if (!settlement) return null
  const last = (await selectNext(tx, settlement, fans)).at(-1)?.userId
  if (last === undefined) return { mismatched: [], more: await endPass(tx, settlement) }
  const question = await findQuestion(tx, questionId)
  if (!question) throw new Error('a settlement refers to its question')
  const rows = await lockVotes(tx, settlement, last)
  await advanceSettlement(tx, questionId, { ...settlement, cursor: last })
  return { mismatched: await settleFans(tx, rows, settlement, question), more: true }
}

type Due = Pick<Settlement, 'questionId' | 'cursor' | 'revision'>

/** The condition for votes after the cursor that are not settled by this answer. */
function isDue({ tables: { questionVotes: votes } }: Pick<Reader, 'tables'>, due: Due) {
  const { questionId, cursor, revision } = due
  return and(
    eq(votes.questionId, questionId),
    gt(votes.userId, cursor),
    or(isNull(votes.revision), ne(votes.revision, revision)),
  )
}

const selectDue = prepared((reader: Reader, due: Due, limit: number) => {
  const { questionVotes: votes } = reader.tables
  return reader.select().from(votes).where(isDue(reader, due)).orderBy(asc(votes.userId)).limit(limit)
})

const selectNext = (reader: Reader, { questionId, cursor, revision }: Settlement, limit: number) =>
  selectDue(reader, { questionId, cursor, revision }, limit)

/** Marks the rows up to a fan and reads them again, since a merge may have moved one meanwhile. In the order of the fans. */
async function lockVotes(
  tx: Transaction,
  { questionId, cursor, revision }: Settlement,
  last: string,
): Promise<VoteRow[]> {
  const rows = await markDue(tx, { questionId, cursor, revision }, last)
  return rows.toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
}

const markDue = prepared((tx: Transaction, due: Due, last: string) => {
  const { questionVotes: votes } = tx.tables
  return tx
    .update(votes)
    .set({ revision: due.revision })
    .where(and(isDue(tx, due), lte(votes.userId, last)))
    .returning()
})

export interface Target {
  correct: boolean | null
  points: number
}

/** What an answer gives a vote. */
export function targetOf(
  { optionId }: Pick<VoteRow, 'optionId'>,
  settlement: Pick<Settlement, 'correct' | 'points'>,
): Target {
  if (settlement.correct === null) return { correct: null, points: 0 }
  const correct = optionId === settlement.correct
  return { correct, points: correct ? settlement.points : 0 }
}

interface Settling {
  row: VoteRow
  target: Target
}

/** Returns the fans who were not settled. */
async function settleFans(
  tx: Transaction,
  rows: VoteRow[],
  settlement: Settlement,
  question: Question,
): Promise<string[]> {
  const changing = rows
    .map(row => ({ row, target: targetOf(row, settlement) }))
    .filter(({ row, target }) => row.correct !== target.correct || row.points !== target.points)
  const now = tx.now()
  const userIds = changing.map(({ row }) => row.userId)
  // Includes fans who get no points: other units of work also lock the account, then buckets, and then write an event of the
  // fan.
  const recording = await openRecording(
    tx,
    userIds,
    changing.flatMap(({ row }) => causesOf(row, settlement)),
    await followMerges(tx, userIds),
  )
  const { fansOf } = recording.ledgers
  // A full account must not hold up other fans.
  const canBook = ({ row, target }: Settling) =>
    recording.ledgers.canBook(row.userId, target.points - row.booked)
  const settling = changing.filter(canBook)
  const mismatched = changing.filter(of => !canBook(of)).map(({ row }) => row.userId)
  const eventOf = (of: Settling) => eventsOf(of, settlement, { now, fansOf, question })
  await recording.loadVoids(settling.flatMap(({ row }) => settledEventOf(row)))
  await recording.load(settling.flatMap(eventOf))
  const settled: (Settling & { booked: number })[] = []
  for (const of of settling) {
    for (const key of settledEventOf(of.row)) await recording.void(key)
    settled.push({ ...of, booked: bookPoints(recording.ledgers, of, settlement) })
    for (const event of eventOf(of)) await recording.record(event)
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

/** The ref of the ledger entry that settled a vote; null for none. */
const refBefore = ({ settledBy }: VoteRow, settlement: Settlement): string | null =>
  settledBy === null ? null : questionRefOf({ ...settlement, revision: settledBy })

/** The entries that `bookPoints` needs to know. */
function causesOf(row: VoteRow, settlement: Settlement): Cause[] {
  const { userId } = row
  const before = refBefore(row, settlement)
  return [
    { userId, reason: 'question', ref: questionRefOf(settlement) },
    ...(before === null
      ? []
      : ['question', 'question_void'].map(reason => ({ userId, reason, ref: before }))),
  ]
}

/**
 * Takes back points that the fan has not spent. The rest counts towards the new points. Returns the sum of the vote's entries.
 */
function bookPoints(ledgers: Ledgers, { row, target }: Settling, settlement: Settlement): number {
  const { userId } = row
  const before = refBefore(row, settlement)
  const taken = before === null ? 0 : ledgers.takeBack({ userId, reason: 'question', ref: before }).points
  const left = row.booked - taken
  if (target.points <= left) return left
  const delta = target.points - left
  ledgers.append({ userId, delta, reason: 'question', ref: questionRefOf(settlement) })
  return target.points
}

async function writeTargets(
  tx: Transaction,
  settled: (Settling & { booked: number })[],
  { revision }: Settlement,
) {
  const rows = settled.map(({ row, target, booked }) => {
    const isSettled = target.correct !== null
    const by = { settledAt: isSettled ? tx.now() : null, settledBy: isSettled ? revision : null }
    return { ...row, ...target, ...by, booked }
  })
  await insertRows(tx, tx.tables.questionVotes, rows, {
    set: ['correct', 'points', 'booked', 'settledAt', 'settledBy'],
  })
}

interface Context extends Pick<Ledgers, 'fansOf'> {
  now: Date
  question: Question
}

/** The event of a vote that gets an answer. */
function eventsOf(
  { row, target }: Settling,
  settlement: Settlement,
  { now, fansOf, question }: Context,
): NewEvent[] {
  const data = answeredData(row, target, settlement, question)
  if (!data) return []
  // The points of a merged fan's vote are booked in that fan's ledger and carried over. The event belongs to the fan who remains.
  const userId = fansOf(row.userId).at(-1) ?? row.userId
  return [{ ...keyOf(row, settlement.revision), userId, type: TYPE, occurredAt: now, data }]
}

/** The data of the event; null if there is no answer. */
function answeredData(
  { optionId }: Pick<VoteRow, 'optionId'>,
  { correct, points }: Target,
  { questionId, revision, correct: answer }: Pick<Settlement, 'questionId' | 'revision' | 'correct'>,
  { matchId, kind }: Question,
): DataOf<typeof TYPE> | null {
  if (answer === null || correct === null) return null
  // Guarantee of the cast: a constraint of the table.
  return { questionId, matchId, kind: kind as 'poll', revision, optionId, answer, correct, points }
}

/** The next pass tries them again. */
async function unmark(tx: Transaction, { questionId }: Settlement, userIds: string[]): Promise<void> {
  if (userIds.length === 0) return
  const { questionVotes: votes } = tx.tables
  await tx
    .update(votes)
    .set({ revision: null })
    .where(and(eq(votes.questionId, questionId), inArray(votes.userId, userIds)))
}

/** Starts the last pass, or ends the settlement. True if the next batch can run at once. */
async function endPass(tx: Transaction, settlement: Settlement): Promise<boolean> {
  const now = tx.now()
  const start = { cursor: '', lastPass: true }
  const next = (dueAt: Date | null) => advanceSettlement(tx, settlement.questionId, { ...start, dueAt })
  if (!settlement.lastPass) {
    const safe = new Date(settlement.revisedAt.getTime() + SETTLED_MS)
    await next(safe > now ? safe : now)
    return safe <= now
  }
  const [left] = await selectNext(tx, { ...settlement, cursor: '' }, 1)
  await next(left ? new Date(now.getTime() + RETRY_MS) : null)
  return false
}

export const eventIdOf = ({ questionId, userId }: Pick<VoteRow, 'questionId' | 'userId'>, revision: number) =>
  `question:${userId}:${questionId}:${revision}`

const keyOf = (row: VoteRow, revision: number) => ({ source: APPLICATION, eventId: eventIdOf(row, revision) })
/** The event of the answer that settled the vote. */
const settledEventOf = (row: VoteRow) => (row.settledBy === null ? [] : [keyOf(row, row.settledBy)])
