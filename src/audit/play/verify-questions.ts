/** Counts votes again, settles them again, and compares their points with the ledger, whose entries nobody can change. */
import { and, count, eq, gte, lt, notExists, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { differs, type Finding, readJson, type Value } from '../../core/finding.ts'
import type { DataOf } from '../../economy/events/types.ts'
import { BOXES } from '../../play/questions/boxes.ts'
import { timesOf } from '../../play/questions/questions.ts'
import { eventIdOf, targetOf } from '../../play/questions/settle-batch.ts'
import { answerOf } from '../../play/questions/settlements.ts'
import { compareBooked, readTold, slugOf } from './booked-points.ts'

/** As `compareBooked`. */
export async function findWrongVotes(reader: Reader, range: Range): Promise<Finding[]> {
  const { questionVotes: votes } = reader.tables
  const { wrong, stray } = await compareBooked(reader, range, {
    rows: votes,
    slug: votes.questionId,
    reasons: ['question', 'question_void'],
  })
  return [
    ...wrong.map(({ userId, slug, booked, sum }) => {
      return { userId, what: `question_votes.booked of ${slug}`, expected: sum, actual: booked }
    }),
    ...stray.map(({ userId, ref, seq }) => {
      return { userId, what: 'question_votes.row', seq, expected: slugOf(ref), actual: null }
    }),
  ]
}

/** Needs a snapshot: a settlement is written with its question, and its votes follow in batches. */
export async function findWrongAnswers(reader: Reader, range: Range): Promise<Finding[]> {
  const { questionVotes: votes, questionSettlements: settlements } = reader.tables
  const rows = await reader
    .select({ vote: votes, settlement: settlements })
    .from(votes)
    .leftJoin(settlements, eq(settlements.questionId, votes.questionId))
    .where(inRange(votes.userId, range))
  const ids = rows.flatMap(({ vote }) => (vote.settledBy === null ? [] : eventIdOf(vote, vote.settledBy)))
  const told = await readTold(reader, ids)
  return rows.flatMap(({ vote, settlement }) => {
    const { userId, questionId, revision, settledBy } = vote
    const found = (column: string, expected: Value, actual: Value) =>
      differs(userId, `question_votes.${column} of ${questionId}`, expected, actual)
    const findings: Finding[] = []
    if (!settlement) findings.push(...found('revision', null, revision))
    if (vote.correct === null)
      for (const column of ['settledAt', 'settledBy'] as const)
        findings.push(...found(toSnakeCase(column), null, vote[column]))
    if (settlement?.dueAt === null && revision === null)
      findings.push(...found('revision', settlement.revision, null))
    // A vote that could not be booked is tried again, and has no revision until then.
    if (settlement && revision !== null && (settlement.dueAt === null || revision === settlement.revision)) {
      const target = targetOf(vote, settlement)
      findings.push(...found('revision', settlement.revision, revision))
      for (const column of ['points', 'correct'] as const)
        findings.push(...found(column, target[column], vote[column]))
    }
    if (settledBy === null) return findings
    const event = told.get(eventIdOf(vote, settledBy))
    if (!event) return [...findings, ...found('settled_by', 'a revision with an event', settledBy)]
    // Guarantee of the cast: the application writes the data by its schema.
    const data = readJson(event.data) as DataOf<'question.answered'> | null | undefined
    return [
      ...findings,
      ...found('settled_at', event.occurredAt, vote.settledAt),
      ...(data
        ? [
            ...found('option_id', data.optionId, vote.optionId),
            ...found('correct', data.correct, vote.correct),
            ...found('points', data.points, vote.points),
          ]
        : []),
    ]
  })
}

/** Each statement is one snapshot: a vote, its box and its tally are written together. */
export async function findWrongTallies(reader: Reader): Promise<Finding[]> {
  const { questionVotes: votes, questionTallies: tallies, questionBoxes: boxes } = reader.tables
  const { questionId, box, optionId } = votes
  const counted = and(eq(votes.counted, true))
  const byOption = reader
    .select({ questionId, box, optionId, fans: count().as('fans') })
    .from(votes)
    .where(counted)
    .groupBy(questionId, box, optionId)
    .as('by_option')
  const ofTally = and(
    eq(tallies.questionId, byOption.questionId),
    eq(tallies.box, byOption.box),
    eq(tallies.optionId, byOption.optionId),
  )
  const wrong = await reader
    .select({
      questionId: tallies.questionId,
      optionId: tallies.optionId,
      votes: tallies.votes,
      fans: byOption.fans,
    })
    .from(tallies)
    .leftJoin(byOption, ofTally)
    .where(sql`${tallies.votes} <> coalesce(${byOption.fans}, 0)`)
  const missing = await reader
    .select({ questionId: byOption.questionId, optionId: byOption.optionId, fans: byOption.fans })
    .from(byOption)
    .where(notExists(reader.select({ one: sql`1` }).from(tallies).where(ofTally)))
  const byBox = reader
    .select({ questionId, box, fans: count().as('fans') })
    .from(votes)
    .where(counted)
    .groupBy(questionId, box)
    .as('by_box')
  const wrongBoxes = await reader
    .select({ questionId: boxes.questionId, box: boxes.box, votes: boxes.votes, fans: byBox.fans })
    .from(boxes)
    .leftJoin(byBox, and(eq(boxes.questionId, byBox.questionId), eq(boxes.box, byBox.box)))
    .where(sql`${boxes.votes} <> coalesce(${byBox.fans}, 0)`)
  return [
    ...wrong.flatMap(({ questionId, optionId, votes, fans }) =>
      differs(null, `question_tallies.votes of ${questionId} ${optionId}`, Number(fans ?? 0), votes),
    ),
    ...missing.flatMap(({ questionId, optionId, fans }) =>
      differs(null, `question_tallies.row of ${questionId} ${optionId}`, Number(fans), null),
    ),
    ...wrongBoxes.flatMap(({ questionId, box, votes, fans }) =>
      differs(null, `question_boxes.votes of ${questionId} ${box}`, Number(fans ?? 0), votes),
    ),
  ]
}

/** Each statement is one snapshot: a question, its boxes and its settlement are written together. */
export async function findWrongQuestions(reader: Reader): Promise<Finding[]> {
  const { questions, questionBoxes: boxes, questionSettlements: settlements } = reader.tables
  const rows = await reader
    .select({ question: questions, settlement: settlements })
    .from(questions)
    .leftJoin(settlements, eq(settlements.questionId, questions.id))
  const counts = await reader
    .select({ questionId: boxes.questionId, found: count() })
    .from(boxes)
    .where(and(gte(boxes.box, 0), lt(boxes.box, BOXES)))
    .groupBy(boxes.questionId)
  const boxesOf = new Map(counts.map(({ questionId, found }) => [questionId, Number(found)]))
  const wrongBoxes = await reader
    .select({ questionId: boxes.questionId, box: boxes.box })
    .from(boxes)
    .innerJoin(questions, eq(questions.id, boxes.questionId))
    .where(sql`${boxes.opensAt} <> ${questions.opensAt} or ${boxes.closesAt} <> ${questions.closesAt}`)
  return [
    ...rows.flatMap(({ question, settlement }) => {
      const found = (table: string, column: string, expected: Value, actual: Value) =>
        differs(null, `${table}.${column} of ${question.id}`, expected, actual)
      const shown = timesOf(question)
      const times = [
        ...found('question_boxes', 'rows', BOXES, boxesOf.get(question.id) ?? 0),
        ...(['shownOpensAt', 'shownClosesAt'] as const).flatMap(column =>
          found('questions', toSnakeCase(column), shown[column], question[column]),
        ),
      ]
      const answer = answerOf(question)
      if (!settlement) return [...times, ...found('question_settlements', 'row', answer.correct, null)]
      const { dueAt, cursor, lastPass } = settlement
      return [
        ...times,
        ...found('question_settlements', 'correct', answer.correct, settlement.correct),
        ...found('question_settlements', 'points', answer.points, settlement.points),
        ...(dueAt === null
          ? [
              ...found('question_settlements', 'cursor', '', cursor),
              ...found('question_settlements', 'last_pass', true, lastPass),
            ]
          : []),
      ]
    }),
    ...wrongBoxes.flatMap(({ questionId, box }) =>
      differs(null, `question_boxes.times of ${questionId} ${box}`, 'those of the question', 'others'),
    ),
  ]
}
