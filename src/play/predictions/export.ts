import { asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { presentPrediction } from './present.ts'

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
