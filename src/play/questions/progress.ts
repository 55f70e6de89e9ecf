/** A question as the staff see it: its entry, the votes, and the progress of their settlement. */
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { instantIn } from '../../core/instant.ts'
import { DomainError } from '../../core/problems.ts'
import { questionProblems } from './problems.ts'
import { questionKind } from './question-kind.ts'
import { listChoices, readTally, stateOf } from './questions.ts'
import { findSettlement } from './settlements.ts'

/** A cockpit shows no more. */
const MOST_OF_MATCH = 50

/** The active questions of a match, those that open first come first. */
export async function listMatchQuestions(reader: Reader, matchId: string) {
  const { questions } = reader.tables
  const rows = await reader
    .select({ id: questions.id })
    .from(questions)
    .where(and(eq(questions.matchId, matchId), eq(questions.active, true)))
    .orderBy(asc(questions.opensAt), asc(questions.id))
    .limit(MOST_OF_MATCH)
  const details = []
  // never question_not_found: questions are never deleted.
  for (const { id } of rows) details.push(await readQuestionDetail(reader, id))
  return { questions: details }
}

/** Also of a question that is switched off. @throws DomainError `question_not_found` */
export async function readQuestionDetail(reader: Reader, questionId: string) {
  const [question] = await questionKind.read(reader, [questionId])
  if (!question) throw new DomainError(questionProblems.question_not_found)
  const { questionVotes: votes } = reader.tables
  const settlement = await findSettlement(reader, questionId)
  const revision = settlement?.revision ?? 0
  // Without an answer nothing is settled, and a live tally reads no votes.
  const [counts] = settlement
    ? await reader
        .select({
          settled: sql`coalesce(sum(case when ${votes.revision} = ${revision} then 1 else 0 end), 0)`.mapWith(
            Number,
          ),
          points: sql`coalesce(sum(${votes.booked}), 0)`.mapWith(Number),
        })
        .from(votes)
        .where(eq(votes.questionId, questionId))
    : []
  const tally = [...(await readTally(reader, questionId))].filter(([, of]) => of > 0).toSorted()
  const { opensAt, closesAt, correct = null } = question
  const times = { shownOpensAt: instantIn(opensAt), shownClosesAt: instantIn(closesAt), correct }
  return {
    question,
    choices: await listChoices(reader, question.options),
    state: stateOf(times, reader.now()),
    fans: tally.reduce((sum, [, of]) => sum + of, 0),
    results: tally.map(([optionId, of]) => ({ optionId, votes: of })),
    settled: counts?.settled ?? 0,
    points: counts?.points ?? 0,
    isSettling: settlement !== undefined && settlement.dueAt !== null && settlement.dueAt <= reader.now(),
  }
}
