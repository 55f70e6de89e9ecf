/** A fan's own prediction of a match. */

import { and, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { requireMatch } from '../../club/matches/matches.ts'
import type { Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { presentPrediction } from './present.ts'
import { predictionProblems } from './problems.ts'

/** Also for a match that is switched off, as in the list of predictions. */
export async function readPrediction(reader: Reader, { userId }: Viewer, matchId: string) {
  const row = await selectPrediction(reader, matchId, userId)
  if (row) return presentPrediction(row)
  await requireMatch(reader, matchId)
  throw new DomainError(predictionProblems.prediction_not_found)
}
readPrediction.problems = [...requireMatch.problems, predictionProblems.prediction_not_found] as const

const selectPrediction = preparedRow((reader: Reader, matchId: string, userId: string) => {
  const { predictions } = reader.tables
  return reader
    .select()
    .from(predictions)
    .where(and(eq(predictions.matchId, matchId), eq(predictions.userId, userId)))
})
