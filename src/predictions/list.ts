/** The predictions of a fan, newest first. */
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import type { Caller } from '../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../core/pagination.ts'
import { DomainError } from '../core/problems.ts'
import { presentPrediction } from './present.ts'

/** A change of a prediction does not change the order. */
export async function listPredictions(
  reader: Reader,
  cursors: Cursors,
  { userId }: Pick<Caller, 'userId'>,
  { limit, cursor }: Page,
) {
  const list = `predictions ${userId}`
  const before = cursor === undefined ? undefined : parsePosition(cursors.decode(list, cursor))
  if (userId === undefined) return { predictions: [], nextCursor: null }
  const rows = await selectNewest(reader, { userId, before, limit: limit + 1 })
  const { page, nextCursor } = cutPage(rows, limit, ({ createdAt, matchId }) =>
    cursors.encode(list, `${createdAt.getTime()} ${matchId}`),
  )
  return { predictions: page.map(presentPrediction), nextCursor }
}
listPredictions.problems = ['invalid_cursor'] as const

interface Position {
  createdAt: Date
  matchId: string
}

function parsePosition(position: string): Position {
  const [, at, matchId] = /^(\d+) (.+)$/.exec(position) ?? []
  if (at === undefined || matchId === undefined) throw new DomainError('invalid_cursor')
  return { createdAt: new Date(Number(at)), matchId }
}

interface NewestValues {
  userId: string
  before: Position | undefined
  limit: number
}

const selectNewest = prepared((reader: Reader, { userId, before, limit }: NewestValues) => {
  const { predictions } = reader.tables
  const { createdAt, matchId } = predictions
  const older = before && sql`(${createdAt}, ${matchId}) < (${before.createdAt}, ${before.matchId})`
  return reader
    .select()
    .from(predictions)
    .where(and(eq(predictions.userId, userId), older))
    .orderBy(desc(createdAt), desc(matchId))
    .limit(limit)
})
