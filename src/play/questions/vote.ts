/** Writes a fan's vote, until the question closes. */
import { and, eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { requireEligible } from '../eligibility/eligibility.ts'
import { requiresOf } from '../eligibility/requires.ts'
import { boxOf, changeTally, countIn } from './boxes.ts'
import { mayChoose } from './entry-schema.ts'
import { questionProblems } from './problems.ts'
import { findQuestion, isPlayerOf, optionsOf, type QuestionRow, readQuestion, votesTag } from './questions.ts'
import type { Vote } from './schema.ts'

/** The same vote again changes nothing. Problems in the order of the checks. */
export async function writeVote(tx: Transaction, { userId }: Caller, questionId: string, vote: Vote) {
  const question = await findQuestion(tx, questionId)
  if (!question?.active) throw new DomainError(questionProblems.question_not_found)
  const optionId = await requireOption(tx, question, vote)
  const now = tx.clock()
  // The box decides: its times can have changed since.
  if (now < question.opensAt || now >= question.closesAt) throw closed()
  // First votes are the most: the insert finds out whether there is one. What is refused below rolls it back.
  const [created] = await insertVote(tx, { questionId, userId, box: boxOf(userId), optionId, now })
  const before = created ? undefined : await lockVote(tx, questionId, userId)
  if (before?.optionId === optionId) return readQuestion(tx, question, optionId)
  await requireEligible(tx, { userId }, { requires: requiresOf(question) })
  const box = before?.box ?? boxOf(userId)
  if (before && !question.changeable) throw new DomainError(questionProblems.already_voted)
  if (before) await updateVote(tx, { questionId, userId, optionId, now })
  else {
    const { matchId } = question
    // Guarantee of the cast: a constraint of the table.
    const kind = question.kind as 'poll'
    await recordEvent(tx, { userId, type: 'question.voted', data: { questionId, matchId, kind } })
  }
  const changes = new Map([[optionId, 1], ...(before ? ([[before.optionId, -1]] as const) : [])])
  // Votes of a box wait for each other from the count on.
  const [shown, [counted]] = await Promise.all([
    readQuestion(tx, question, optionId, changes),
    countIn(tx, { questionId, box, now, by: before ? 0 : 1 }),
  ])
  if (!counted) throw closed()
  if (before) changeTally(tx, { questionId, box, optionId: before.optionId, by: -1 })
  changeTally(tx, { questionId, box, optionId, by: 1 })
  tx.invalidate(votesTag(questionId))
  return shown
}

const closed = () => new DomainError(questionProblems.question_closed)

/** @throws DomainError `validation_failed` */
async function requireOption(reader: Reader, question: QuestionRow, vote: Vote): Promise<string> {
  const options = optionsOf(question)
  const isRating = 'scale' in options
  const [name, other] = isRating ? (['rating', 'optionId'] as const) : (['optionId', 'rating'] as const)
  const value = vote[name]
  if (vote[other] !== undefined)
    refuseField({ pointer: `/${other}`, message: `must be absent: the question takes \`${name}\`` })
  if (value === undefined) refuseField({ pointer: `/${name}`, message: 'is required' })
  const optionId = String(value)
  const isOption =
    'team' in options ? await isPlayerOf(reader, options.team, optionId) : mayChoose(options, optionId)
  if (!isOption)
    refuseField({
      pointer: `/${name}`,
      message: isRating ? `must be from 1 to ${options.scale}` : 'must be the id of an option',
    })
  return optionId
}

/** Requests of a fan at the same time come one after the other from here on. */
const lockVote = preparedRow((tx: Transaction, questionId: string, userId: string) => {
  const { questionVotes: votes } = tx.tables
  return locksForUpdate(
    tx,
    tx
      .select({ optionId: votes.optionId, box: votes.box })
      .from(votes)
      .where(and(eq(votes.questionId, questionId), eq(votes.userId, userId))),
  )
})

interface Choice {
  questionId: string
  userId: string
  optionId: string
  now: Date
}

const insertVote = prepared((tx: Transaction, { now, ...vote }: Choice & { box: number }) =>
  tx
    .insert(tx.tables.questionVotes)
    .values({ ...vote, createdAt: now, changedAt: now, counted: true, points: 0, booked: 0 })
    .onConflictDoNothing()
    .returning({ box: tx.tables.questionVotes.box }),
)

const updateVote = prepared((tx: Transaction, { questionId, userId, optionId, now }: Choice) => {
  const { questionVotes: votes } = tx.tables
  return tx
    .update(votes)
    .set({ optionId, changedAt: now })
    .where(and(eq(votes.questionId, questionId), eq(votes.userId, userId)))
})
