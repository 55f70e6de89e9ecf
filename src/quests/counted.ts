/** The events that were counted for the steps of a fan's periods. */
import { and, count, countDistinct, eq, inArray, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import type { VoidableEvent } from '../events/readers.ts'
import type { QuestDefinition } from './definition.ts'
import { isOf, type PeriodKey } from './rows.ts'
import type { Counts } from './state.ts'

/** The unclaimed periods for which an event counts. */
export const selectUnclaimedOf = prepared((reader: Reader, { userId, source, eventId }: VoidableEvent) => {
  const { questCounts, questProgress } = reader.tables
  const { questId, period } = questCounts
  return reader
    .selectDistinct({ questId, period })
    .from(questCounts)
    .innerJoin(questProgress, isOf(questProgress, questCounts))
    .where(
      and(
        eq(questCounts.userId, userId),
        eq(questCounts.source, source),
        eq(questCounts.eventId, eventId),
        isNull(questProgress.claimedAt),
      ),
    )
    .orderBy(questId)
})

/** The ids of those events that count for an unclaimed period. They are of one source. */
export async function listUnclaimed(reader: Reader, events: VoidableEvent[]): Promise<Set<string>> {
  const { questCounts, questProgress } = reader.tables
  const { userId, eventId } = questCounts
  const rows = await reader
    .selectDistinct({ eventId })
    .from(questCounts)
    .innerJoin(questProgress, isOf(questProgress, questCounts))
    .where(
      and(
        // The fans too: the primary key begins with them.
        inArray(
          userId,
          events.map(event => event.userId),
        ),
        eq(questCounts.source, events[0]?.source ?? ''),
        inArray(
          eventId,
          events.map(event => event.eventId),
        ),
        isNull(questProgress.claimedAt),
      ),
    )
  return new Set(rows.map(row => row.eventId))
}

export const deleteCounted = prepared(
  (tx: Transaction, key: PeriodKey, { source, eventId }: Omit<VoidableEvent, 'userId'>) => {
    const { questCounts } = tx.tables
    return tx
      .delete(questCounts)
      .where(and(isOf(questCounts, key), eq(questCounts.source, source), eq(questCounts.eventId, eventId)))
  },
)

/** The counts that follow from the counted events. */
export async function recount(reader: Reader, key: PeriodKey, { steps }: Pick<QuestDefinition, 'steps'>) {
  const rows = new Map((await selectSums(reader, key)).map(row => [row.stepId, row]))
  const counts: Counts = {}
  for (const { id, distinctBy } of steps) {
    const row = rows.get(id)
    if (row) counts[id] = Number(distinctBy === null ? row.events : row.values)
  }
  return counts
}

const selectSums = prepared((reader: Reader, key: PeriodKey) => {
  const { stepId, value } = reader.tables.questCounts
  return reader
    .select({ stepId, events: count(), values: countDistinct(value) })
    .from(reader.tables.questCounts)
    .where(isOf(reader.tables.questCounts, key))
    .groupBy(stepId)
})

/** For the erasure of a fan. */
export const deleteCountsOf = prepared((tx: Transaction, userId: string) =>
  tx.delete(tx.tables.questCounts).where(eq(tx.tables.questCounts.userId, userId)),
)
