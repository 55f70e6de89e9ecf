/** The predictions of a fan, newest first. */
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import type { Caller } from '../core/caller.ts'
import {
  type Cursors,
  cutPage,
  decodePosition,
  encodePosition,
  type Page,
  type TimedPosition,
} from '../core/pagination.ts'
import { presentPrediction } from './present.ts'

/** A change of a prediction does not change the order. */
export async function listPredictions(
  reader: Reader,
  cursors: Cursors,
  { userId }: Pick<Caller, 'userId'>,
  { limit, cursor }: Page,
) {
  const list = `predictions ${userId}`
  const before = decodePosition(cursors, list, cursor)
  if (userId === undefined) return { predictions: [], nextCursor: null }
  const rows = await selectNewest(reader, userId, limit + 1, before)
  const { page, nextCursor } = cutPage(rows, limit, ({ createdAt, matchId }) =>
    encodePosition(cursors, list, { at: createdAt, id: matchId }),
  )
  return { predictions: page.map(presentPrediction), nextCursor }
}
listPredictions.problems = ['invalid_cursor'] as const

const selectNewest = prepared((reader: Reader, userId: string, limit: number, before?: TimedPosition) => {
  const { predictions } = reader.tables
  const { createdAt, matchId } = predictions
  const older = before && sql`(${createdAt}, ${matchId}) < (${before.at}, ${before.id})`
  return reader
    .select()
    .from(predictions)
    .where(and(eq(predictions.userId, userId), older))
    .orderBy(desc(createdAt), desc(matchId))
    .limit(limit)
})
