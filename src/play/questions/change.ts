/** Changes of a question by hand: open, close, answer; and questions that the club's systems write. */
import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField, transportProblems } from '../../core/transport-problems.ts'
import { writeBoxes } from './boxes.ts'
import { mayChoose, type QuestionEntry } from './entry-schema.ts'
import { questionProblems } from './problems.ts'
import { questionKind } from './question-kind.ts'
import {
  findQuestion,
  lockQuestion,
  optionsOf,
  type QuestionRow,
  questionsTag,
  readQuestion,
  timesOf,
} from './questions.ts'
import { findSettlement, queueSettlement } from './settlements.ts'

/** Creates or replaces it. @throws DomainError `validation_failed`, `catalogue_conflict` */
export async function putQuestion(tx: Transaction, entry: QuestionEntry) {
  const errors = questionKind.faults(entry)
  if (errors.length > 0) throw new DomainError(transportProblems.validation_failed, { errors })
  const { outcome } = await questionKind.upsert(tx, entry)
  const row = await findQuestion(tx, entry.id)
  if (!row) throw new Error('the question was written')
  return { isNew: outcome === 'created', question: await readQuestion(tx, row, null) }
}

/** Opens it now, until `closesAt`. A question that is open stays open from its start. */
export const openQuestion = (tx: Transaction, questionId: string, closesAt: Date) =>
  changeQuestion(tx, questionId, async question => {
    const now = tx.clock()
    if (closesAt <= now) refuseField({ pointer: '/closesAt', message: 'must be in the future' })
    const isOver = question.closesAt <= now
    // Votes that were settled stay as they are.
    if (isOver && (await findSettlement(tx, questionId)) && (await hasVotes(tx, questionId)))
      throw new DomainError(questionProblems.question_answered)
    const opensAt = isOver || question.opensAt > now ? now : question.opensAt
    return timesOf({ ...question, opensAt, closesAt })
  })

const hasVotes = async (tx: Transaction, questionId: string) => {
  const { questionVotes: votes } = tx.tables
  return (await countRows(tx, votes, eq(votes.questionId, questionId))) > 0
}

/** Closes it now. A question that is closed stays so. */
export const closeQuestion = (tx: Transaction, questionId: string) =>
  changeQuestion(tx, questionId, async question => {
    const now = tx.clock()
    if (question.closesAt <= now) return {}
    const opensAt = new Date(Math.min(question.opensAt.getTime(), now.getTime()))
    return timesOf({ ...question, opensAt, closesAt: now })
  })

/** States the correct option, corrects it, or withdraws it with null. Votes are settled after the close. */
export const answerQuestion = (tx: Transaction, questionId: string, correct: string | null) =>
  changeQuestion(tx, questionId, async question => {
    if (correct !== null && !mayChoose(optionsOf(question), correct))
      refuseField({ pointer: '/correct', message: 'must be the id of an option' })
    return { correct }
  })

/** @throws DomainError `question_not_found`, and as `changeOf` */
async function changeQuestion(
  tx: Transaction,
  questionId: string,
  changeOf: (question: QuestionRow) => Promise<Partial<QuestionRow>>,
): Promise<void> {
  const { questions } = tx.tables
  const locked = await lockQuestion(tx, questionId)
  if (!locked) throw new DomainError(questionProblems.question_not_found)
  await questionKind.recordChange(tx, questionId, async () => {
    // Votes that are being counted end first, so that the close is after them.
    await writeBoxes(tx, locked)
    const change = await changeOf(locked)
    const question = { ...locked, ...change }
    // A close of a closed question, for example, is no change: the history has none.
    if (Bun.deepEquals(question, locked)) return
    await tx
      .update(questions)
      .set({ ...change, updatedAt: tx.now() })
      .where(eq(questions.id, questionId))
    await writeBoxes(tx, question)
    await queueSettlement(tx, question)
  })
  tx.invalidate(questionsTag)
}

/** Whether opening a question until then closes one earlier that is open, which fans see as open until `closesAt`. */
export async function closesEarlier(reader: Reader, questionId: string, closesAt: Date): Promise<boolean> {
  const row = await findQuestion(reader, questionId)
  const now = reader.now()
  return row !== undefined && row.opensAt <= now && row.closesAt > now && closesAt < row.closesAt
}

/** Whether `CONSOLE_TWO_PERSON=money` asks for a second person: fans get points for the correct option. */
export async function givesPoints(reader: Reader, questionId: string): Promise<boolean> {
  const [entry] = await questionKind.read(reader, [questionId])
  return (entry?.points ?? null) !== null
}
