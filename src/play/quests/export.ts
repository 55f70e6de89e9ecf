/** A fan's progress and streaks. The counted events are in the export of the events. */
import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { parseCounts } from './state.ts'

/** By quest and period. */
export async function* exportQuests(reader: Reader, userId: string) {
  const { questProgress } = reader.tables
  const { questId, period } = questProgress
  const rows = eachRow({ questId, period }, after =>
    reader
      .select()
      .from(questProgress)
      .where(and(eq(questProgress.userId, userId), after)),
  )
  for await (const { userId: _, completionId: _c, counts, given, ...row } of rows)
    yield { ...row, counts: parseCounts(counts), given: given === null ? null : JSON.parse(given) }
}

export function exportStreaks(reader: Reader, userId: string) {
  const { questId, current, best, lastEndsAt, endsAt } = reader.tables.questStreaks
  return reader
    .select({ questId, current, best, lastEndsAt, endsAt })
    .from(reader.tables.questStreaks)
    .where(eq(reader.tables.questStreaks.userId, userId))
    .orderBy(asc(questId))
}
