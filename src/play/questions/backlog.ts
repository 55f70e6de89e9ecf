/** What metrics read of questions: how many are open, and votes that wait for their settlement. */
import { and, count, eq, gt, isNull, lte, min, ne, or } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'

/** More are not counted. */
const MAX_COUNTED = 10_000

/** `since`: when the oldest settlement was due; null without one. */
export async function readQuestionBacklog(reader: Reader) {
  const { questions, questionSettlements: settlements, questionVotes: votes } = reader.tables
  const now = reader.now()
  const isOpen = and(eq(questions.active, true), lte(questions.opensAt, now), gt(questions.closesAt, now))
  const isDue = lte(settlements.dueAt, now)
  const waiting = reader
    .select({ userId: votes.userId })
    .from(settlements)
    .innerJoin(votes, eq(votes.questionId, settlements.questionId))
    .where(and(isDue, or(isNull(votes.revision), ne(votes.revision, settlements.revision))))
    .limit(MAX_COUNTED)
    .as('waiting')
  const [unsettled] = await reader.select({ votes: count() }).from(waiting)
  const [oldest] = await reader
    .select({ since: min(settlements.dueAt) })
    .from(settlements)
    .where(isDue)
  return {
    open: await countRows(reader, questions, isOpen),
    unsettled: Number(unsettled?.votes),
    since: oldest?.since ?? null,
  }
}
