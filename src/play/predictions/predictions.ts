/**
 * The predictions of a fan: reads, and what an export and a merge of fans need. A prediction can change until kick-off
 * (`predict.ts`). The result settles it (`settle.ts`): it gets points by its score (`score.ts`), or it is void.
 */

import { and, asc, desc, eq, inArray, isNull, notInArray, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { requireMatch } from '../../club/matches/matches.ts'
import type { Merge, Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page, type TimedPosition } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { findExcessJokers, hasJoker } from './jokers.ts'
import { predictionProblems } from './problems.ts'
import { freezeSplits } from './split.ts'

/** Newest first. A change of a prediction does not change the order. */
export async function listPredictions(reader: Reader, cursors: Cursors, { userId }: Viewer, page: Page) {
  const list = `predictions ${userId}`
  const before = cursors.decodeTimed(list, page.cursor)
  const rows = await selectNewest(reader, userId, page.limit + 1, before)
  const { shown, nextCursor } = cutPage(rows, page.limit, ({ createdAt, matchId }) =>
    cursors.encodeTimed(list, { at: createdAt, id: matchId }),
  )
  return { predictions: shown.map(presentPrediction), nextCursor }
}

const selectNewest = prepared((reader: Reader, userId: string, limit: number, before?: TimedPosition) => {
  const { predictions } = reader.tables
  const { createdAt, matchId } = predictions
  const older =
    before === undefined ? undefined : sql`(${createdAt}, ${matchId}) < (${before.at}, ${before.id})`
  return reader
    .select()
    .from(predictions)
    .where(and(eq(predictions.userId, userId), older))
    .orderBy(desc(createdAt), desc(matchId))
    .limit(limit)
})

/** Also for a match that is switched off, as in the list of predictions. */
export async function readPrediction(reader: Reader, { userId }: Viewer, matchId: string) {
  const row = await selectPrediction(reader, matchId, userId)
  if (row) return presentPrediction(row)
  await requireMatch(reader, matchId)
  throw new DomainError(predictionProblems.prediction_not_found)
}

const selectPrediction = preparedRow((reader: Reader, matchId: string, userId: string) => {
  const { predictions } = reader.tables
  return reader
    .select()
    .from(predictions)
    .where(and(eq(predictions.matchId, matchId), eq(predictions.userId, userId)))
})

export type PredictionRow = Tables['predictions']['$inferSelect']

export function presentPrediction(row: PredictionRow) {
  const { matchId, homeScore, awayScore, competition, outcome, difference, exact, points, settledAt } = row
  const isSettled = outcome !== null && difference !== null && exact !== null && settledAt !== null
  return {
    matchId,
    homeScore,
    awayScore,
    predictedAt: row.changedAt.toISOString(),
    // Guarantee of the cast: the constraint `predictions_state`.
    state: row.state as 'open' | 'settled' | 'void',
    ...(competition === null ? {} : { joker: hasJoker(row) && row.state !== 'void' }),
    settled: isSettled ? { outcome, difference, exact, points, settledAt: settledAt.toISOString() } : null,
  }
}

/** The predictions of a fan, oldest first. */
export async function exportPredictions(reader: Reader, userId: string) {
  const { predictions } = reader.tables
  const rows = await reader
    .select()
    .from(predictions)
    .where(eq(predictions.userId, userId))
    .orderBy(asc(predictions.createdAt), asc(predictions.matchId))
  return rows.map(presentPrediction)
}

/**
 * Moves open predictions, or deletes them where the other fan has predicted the match. A joker moves with its prediction unless the
 * other fan has one in the round, or no more in the season. Settled ones stay with the merged record, whose ledger has their points. So
 * do those that a split counts and that cannot move as they are: no points change. Returns the number of moved predictions.
 */
export async function movePredictions(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { predictions } = tx.tables
  const isOpen = and(eq(predictions.userId, fromId), isNull(predictions.settledBy), eq(predictions.booked, 0))
  const open = await tx.select().from(predictions).where(isOpen)
  const counted = await freezeSplits(
    tx,
    open.flatMap(({ competition, matchId }) => (competition === null ? [] : matchId)),
  )
  const isOwn = eq(predictions.userId, intoId)
  const own = await tx.select({ matchId: predictions.matchId }).from(predictions).where(isOwn)
  const predicted = new Set(own.map(({ matchId }) => matchId))
  const isMoving = (row: PredictionRow) => row.state !== 'void' && !predicted.has(row.matchId)
  const clashing = await findExcessJokers(tx, open.filter(isMoving), intoId)
  const losing = clashing.flatMap(({ matchId }) => (counted.has(matchId) ? [] : matchId))
  const staying = open.flatMap(row =>
    counted.has(row.matchId) && (predicted.has(row.matchId) || clashing.includes(row)) ? row.matchId : [],
  )
  const isOf = (ids: string[]) => inArray(predictions.matchId, ids)
  if (losing.length > 0)
    await tx
      .update(predictions)
      .set({ jokerSeason: null, jokerRound: null })
      .where(and(isOpen, isOf(losing)))
  const stays = [...staying, ...predicted]
  const moved = await tx
    .update(predictions)
    .set({ userId: intoId })
    .where(and(isOpen, stays.length === 0 ? undefined : notInArray(predictions.matchId, stays)))
    .returning({ matchId: predictions.matchId })
  await tx
    .delete(predictions)
    .where(and(isOpen, staying.length === 0 ? undefined : notInArray(predictions.matchId, staying)))
  return moved.length
}
