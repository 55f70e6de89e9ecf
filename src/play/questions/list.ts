/** Lists of questions: for everyone, with the part of a fan, and the votes of a fan. */
import { and, desc, eq, gt, lte, or, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { AuthenticatedCaller, Viewer } from '../../core/caller.ts'
import { NOBODY } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page, type TimedPosition } from '../../core/pagination.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { showBlockers } from '../eligibility/eligibility.ts'
import { presentQuestions, type QuestionRow, type VoteRow } from './questions.ts'
import type { QuestionsQuery } from './schema.ts'

type Filter = Pick<typeof QuestionsQuery.static, 'matchId' | 'open'>

/** Those that open last come first. @throws DomainError `invalid_cursor` */
export async function listQuestions(
  source: ReadSource & { cursors: Cursors },
  caller: AuthenticatedCaller | null,
  { matchId, open }: Filter,
  page: Page,
) {
  const list = `questions ${JSON.stringify([matchId, open])}`
  const before = source.cursors.decodeTimed(list, page.cursor)
  const rows = await selectShown(source.read, {
    matchId,
    open,
    now: source.read.now(),
    before,
    limit: page.limit + 1,
  })
  const { shown, nextCursor } = cutPage(rows, page.limit, ({ shownOpensAt, id }) =>
    source.cursors.encodeTimed(list, { at: shownOpensAt, id }),
  )
  const questions = await presentQuestions(source, shown, caller?.userId ?? NOBODY)
  return {
    questions: caller ? await showBlockers(source.read, caller, questions) : questions,
    nextCursor,
  }
}

interface Shown {
  matchId: string | undefined
  open: 'true' | 'false' | undefined
  now: Date
  before: TimedPosition | undefined
  limit: number
}

function selectShown(reader: Reader, { matchId, open, now, before, limit }: Shown): Promise<QuestionRow[]> {
  const { questions } = reader.tables
  const { shownOpensAt, shownClosesAt, id } = questions
  const isOpen = and(lte(shownOpensAt, now), gt(shownClosesAt, now))
  const isNot = or(gt(shownOpensAt, now), lte(shownClosesAt, now))
  return reader
    .select()
    .from(questions)
    .where(
      and(
        eq(questions.active, true),
        matchId === undefined ? undefined : eq(questions.matchId, matchId),
        open === undefined ? undefined : open === 'true' ? isOpen : isNot,
        before && sql`(${shownOpensAt}, ${id}) < (${sql.param(before.at, shownOpensAt)}, ${before.id})`,
      ),
    )
    .orderBy(desc(shownOpensAt), desc(id))
    .limit(limit)
}

/** Newest first. A change of a vote does not change the order. */
export async function listVotes(reader: Reader, cursors: Cursors, { userId }: Viewer, page: Page) {
  const list = `votes ${userId}`
  const before = cursors.decodeTimed(list, page.cursor)
  const rows = await selectNewest(reader, userId, page.limit + 1, before)
  const { shown, nextCursor } = cutPage(rows, page.limit, ({ vote }) =>
    cursors.encodeTimed(list, { at: vote.createdAt, id: vote.questionId }),
  )
  const now = reader.now()
  return {
    votes: shown.map(({ vote, shownClosesAt }) => presentVote(vote, now >= shownClosesAt)),
    nextCursor,
  }
}

const selectNewest = prepared((reader: Reader, userId: string, limit: number, before?: TimedPosition) => {
  const { questionVotes: votes, questions } = reader.tables
  const { createdAt, questionId } = votes
  const older =
    before === undefined ? undefined : sql`(${createdAt}, ${questionId}) < (${before.at}, ${before.id})`
  return reader
    .select({ vote: votes, shownClosesAt: questions.shownClosesAt })
    .from(votes)
    .innerJoin(questions, eq(questions.id, questionId))
    .where(and(eq(votes.userId, userId), older))
    .orderBy(desc(createdAt), desc(questionId))
    .limit(limit)
})

/** `isOver`: fans see the question closed. Before, its answer is not told. */
export function presentVote(vote: VoteRow, isOver: boolean) {
  const { questionId, optionId, correct, points, settledAt } = vote
  return {
    questionId,
    optionId,
    votedAt: vote.changedAt.toISOString(),
    settled:
      isOver && correct !== null && settledAt !== null
        ? { correct, points, settledAt: settledAt.toISOString() }
        : null,
  }
}
