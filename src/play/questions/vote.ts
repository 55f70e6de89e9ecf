/** Writes a fan's vote, until the question closes. */
import { and, eq, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { mayBookPoints } from '../../economy/events/listeners.ts'
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
  const now = tx.clock()
  // First votes are the most: the insert finds out whether there is one. What is refused below rolls it back. On PostgreSQL, what
  // is sent together takes one round trip.
  const [question, [created]] = await Promise.all([
    findQuestion(tx, questionId),
    insertVote(tx, { questionId, userId, box: boxOf(tx, userId), optionId: chosenIn(vote), now }),
  ])
  if (!question?.active) throw new DomainError(questionProblems.question_not_found)
  const optionId = await requireOption(tx, question, vote)
  // The box decides: its times can have changed since.
  if (now < question.opensAt || now >= question.closesAt) throw closed()
  const before = created ? undefined : await lockVote(tx, questionId, userId)
  if (before?.optionId === optionId) return readQuestion(tx, question, optionId)
  await requireEligible(tx, { userId }, { requires: requiresOf(question) })
  const box = before?.box ?? boxOf(tx, userId)
  if (before && !question.changeable) throw new DomainError(questionProblems.already_voted)
  const written = before
    ? updateVote(tx, { questionId, userId, optionId, now })
    : recordVoted(tx, userId, question)
  // What listens to votes locks rows that many fans share, as every event does before the rows of its verb.
  if (mayBookPoints(tx, VOTED)) await written
  const changes = new Map([[optionId, 1], ...(before ? ([[before.optionId, -1]] as const) : [])])
  // Votes of a box wait for each other from the count on.
  const [shown, [counted]] = await Promise.all([
    readQuestion(tx, question, optionId, changes),
    countIn(tx, { questionId, box, now, by: before ? 0 : 1 }),
    written,
  ])
  if (!counted) throw closed()
  if (before) changeTally(tx, { questionId, box, optionId: before.optionId, by: -1 })
  changeTally(tx, { questionId, box, optionId, by: 1 })
  tx.invalidate(votesTag(questionId))
  return shown
}

const VOTED = 'question.voted'

const recordVoted = (tx: Transaction, userId: string, { id: questionId, matchId, kind }: QuestionRow) =>
  // Guarantee of the cast: a constraint of the table.
  recordEvent(tx, { userId, type: VOTED, data: { questionId, matchId, kind: kind as 'poll' } })

/** The option, if the question takes what the vote has. */
const chosenIn = ({ optionId, rating }: Vote) => String(optionId ?? rating ?? '')

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
  const optionId = chosenIn(vote)
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

/** Writes nothing if there is a vote, or no question. */
const insertVote = prepared((tx: Transaction, { box, now, ...choice }: Choice & { box: number }) => {
  const { questionBoxes: boxes, questionVotes: votes } = tx.tables
  const nothing = (name: string) => sql<null>`null`.as(name)
  return tx
    .insert(votes)
    .select(
      tx
        .select({
          questionId: boxes.questionId,
          userId: sql<string>`${choice.userId}`.as('user_id'),
          box: boxes.box,
          optionId: sql<string>`${choice.optionId}`.as('option_id'),
          createdAt: sql<Date>`${now}`.as('created_at'),
          changedAt: sql<Date>`${now}`.as('changed_at'),
          counted: sql<boolean>`true`.as('counted'),
          revision: nothing('revision'),
          settledBy: nothing('settled_by'),
          correct: nothing('correct'),
          points: sql<number>`0`.as('points'),
          booked: sql<number>`0`.as('booked'),
          settledAt: nothing('settled_at'),
        })
        .from(boxes)
        .where(and(eq(boxes.questionId, choice.questionId), eq(boxes.box, box))),
    )
    .onConflictDoNothing()
    .returning({ box: votes.box })
})

const updateVote = prepared((tx: Transaction, { questionId, userId, optionId, now }: Choice) => {
  const { questionVotes: votes } = tx.tables
  return tx
    .update(votes)
    .set({ optionId, changedAt: now })
    .where(and(eq(votes.questionId, questionId), eq(votes.userId, userId)))
})
