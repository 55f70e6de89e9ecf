/** The predictions of a fan, newest first. */

import { and, desc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page, type TimedPosition } from '../../core/pagination.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { presentPrediction } from './present.ts'

/** A change of a prediction does not change the order. */
export async function listPredictions(reader: Reader, cursors: Cursors, { userId }: Viewer, page: Page) {
  const list = `predictions ${userId}`
  const before = cursors.decodeTimed(list, page.cursor)
  const rows = await selectNewest(reader, userId, page.limit + 1, before)
  const { shown, nextCursor } = cutPage(rows, page.limit, ({ createdAt, matchId }) =>
    cursors.encodeTimed(list, { at: createdAt, id: matchId }),
  )
  return { predictions: shown.map(presentPrediction), nextCursor }
}
listPredictions.problems = [transportProblems.invalid_cursor] as const

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
