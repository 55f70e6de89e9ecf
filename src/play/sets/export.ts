import { asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

/** The sets that a fan completed. */
export function exportCompletedSets(reader: Reader, userId: string) {
  const { setCompletions } = reader.tables
  const { setId, completedAt, points, rewardId } = setCompletions
  return reader
    .select({ setId, completedAt, points, rewardId })
    .from(setCompletions)
    .where(eq(setCompletions.userId, userId))
    .orderBy(asc(completedAt), asc(setId))
}
