/** The answers by which votes are settled. Written with the question; `settle-batch.ts` processes them. */
import { and, asc, eq, lte, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { QuestionRow } from './questions.ts'

export type Settlement = Tables['questionSettlements']['$inferSelect']

type Answered = Pick<QuestionRow, 'id' | 'correct' | 'points' | 'shownClosesAt'>

/** The answer for votes that follows from this state of a question. */
export const answerOf = ({ correct, points }: Pick<QuestionRow, 'correct' | 'points'>) => ({
  correct,
  points: correct === null ? 0 : (points ?? 0),
})

/**
 * Starts a settlement if the answer differs from the last one: when fans see the close, since points would tell the answer to viewers
 * of a delayed stream. The question is locked.
 */
export async function queueSettlement(tx: Transaction, question: Answered): Promise<void> {
  const { questionSettlements: settlements } = tx.tables
  const { id: questionId, shownClosesAt: closesAt } = question
  const answer = answerOf(question)
  const before = await findSettlement(tx, questionId)
  if (!before && answer.correct === null) return
  const now = tx.now()
  const dueAt = latest(closesAt, now)
  const start = { revisedAt: dueAt, cursor: '', lastPass: false, dueAt }
  if (before && before.correct === answer.correct && before.points === answer.points) {
    // The close may have moved.
    if (before.dueAt === null && closesAt <= now) return
    await tx.update(settlements).set(start).where(eq(settlements.questionId, questionId))
    return
  }
  const set = { ...answer, ...start, revision: (before?.revision ?? 0) + 1 }
  // Waits for a batch of the previous settlement: its rows are settled again.
  await tx
    .insert(settlements)
    .values({ questionId, ...set })
    .onConflictDoUpdate({ target: settlements.questionId, set })
}

const latest = (...times: Date[]) => new Date(Math.max(...times.map(at => at.getTime())))

/** The last one of a question. */
export const findSettlement = preparedRow((reader: Reader, questionId: string) => {
  const { questionSettlements } = reader.tables
  return reader.select().from(questionSettlements).where(eq(questionSettlements.questionId, questionId))
})

/** Questions whose votes have a batch to settle now, the longest waiting first. */
export async function listDueSettlements(reader: Reader, now: Date): Promise<string[]> {
  const rows = await selectDue(reader, now)
  return rows.map(({ questionId }) => questionId)
}

const selectDue = prepared((reader: Reader, now: Date) => {
  const { questionSettlements: settlements } = reader.tables
  return reader
    .select({ questionId: settlements.questionId })
    .from(settlements)
    .where(lte(settlements.dueAt, now))
    .orderBy(asc(settlements.dueAt), asc(settlements.questionId))
})

/** Locks a settlement that is due until the unit of work ends: one batch of a question runs at a time, in whichever process. */
export const lockDueSettlement = async (
  tx: Transaction,
  questionId: string,
): Promise<Settlement | undefined> => lockDue(tx, questionId, tx.clock())

const lockDue = preparedRow((tx: Transaction, questionId: string, now: Date) => {
  const { questionSettlements: settlements } = tx.tables
  return tx
    .update(settlements)
    .set({ lastPass: sql`${settlements.lastPass}` })
    .where(and(eq(settlements.questionId, questionId), lte(settlements.dueAt, now)))
    .returning()
})

/** Where the next batch begins, and when. The settlement is locked. */
export const advanceSettlement = async (
  tx: Transaction,
  questionId: string,
  { cursor, lastPass, dueAt }: Progress,
): Promise<unknown> => writeProgress(tx, questionId, { cursor, lastPass, dueAt })

type Progress = Pick<Settlement, 'cursor' | 'lastPass' | 'dueAt'>

const writeProgress = prepared((tx: Transaction, questionId: string, progress: Progress) => {
  const { questionSettlements } = tx.tables
  return tx.update(questionSettlements).set(progress).where(eq(questionSettlements.questionId, questionId))
})
