/** The rows of a fan's progress. */
import { and, asc, type Column, eq, inArray, isNotNull, isNull } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { prepared, preparedRow } from '../../db/prepared.ts'

export type ProgressRow = Tables['questProgress']['$inferSelect']

/** Identifies a period of a quest for a fan. */
export interface PeriodKey {
  userId: string
  questId: string
  period: string
}

export const findProgress = preparedRow((reader: Reader, key: PeriodKey) =>
  reader.select().from(reader.tables.questProgress).where(isOf(reader.tables.questProgress, key)),
)

/** The condition for a period of a quest, in a table of progress or of counted events. */
export const isOf = (table: Record<keyof PeriodKey, Column>, { userId, questId, period }: PeriodKey) =>
  and(eq(table.userId, userId), eq(table.questId, questId), eq(table.period, period))

/** A fan's rows of periods with these keys, of any quest. There are few keys: one for each unit and day that some zone has. */
export const selectPeriods = prepared(
  (reader: Reader, { userId, periods }: { userId: string; periods: string[] }) => {
    const { questProgress } = reader.tables
    return reader
      .select()
      .from(questProgress)
      .where(and(eq(questProgress.userId, userId), inArray(questProgress.period, periods)))
  },
)

export const insertProgress = prepared((tx: Transaction, row: Tables['questProgress']['$inferInsert']) =>
  tx.insert(tx.tables.questProgress).values(row),
)

export const updateCounts = prepared((tx: Transaction, { counts, ...key }: PeriodKey & { counts: string }) =>
  tx.update(tx.tables.questProgress).set({ counts }).where(isOf(tx.tables.questProgress, key)),
)

type Completion = PeriodKey & Pick<ProgressRow, 'completedAt' | 'completionId' | 'claimedAt' | 'given'>

/** Returns no row if the period is completed already. */
export const updateCompleted = prepared((tx: Transaction, completion: Completion) => {
  const { questProgress } = tx.tables
  const { completedAt, completionId, claimedAt, given } = completion
  return tx
    .update(questProgress)
    .set({ completedAt, completionId, claimedAt, given })
    .where(and(isOf(questProgress, completion), isNull(questProgress.completedAt)))
    .returning({ period: questProgress.period })
})

/** Takes a completion back, unless it is claimed. Returns no row if it is. */
export const updateReopened = prepared((tx: Transaction, key: PeriodKey) => {
  const { questProgress } = tx.tables
  return tx
    .update(questProgress)
    .set({ completedAt: null, completionId: null })
    .where(
      and(isOf(questProgress, key), isNotNull(questProgress.completedAt), isNull(questProgress.claimedAt)),
    )
    .returning({ period: questProgress.period })
})

/** Returns no row if the period is not completed, or is claimed already. */
export const updateClaimed = prepared(
  (tx: Transaction, { claimedAt, given, ...key }: PeriodKey & { claimedAt: Date; given: string }) => {
    const { questProgress } = tx.tables
    return tx
      .update(questProgress)
      .set({ claimedAt, given })
      .where(
        and(isOf(questProgress, key), isNotNull(questProgress.completedAt), isNull(questProgress.claimedAt)),
      )
      .returning()
  },
)

/** A fan's rows of a quest that are not claimed. */
export const selectUnclaimed = prepared(
  (reader: Reader, { userId, questId }: { userId: string; questId: string }) => {
    const { questProgress } = reader.tables
    const own = and(eq(questProgress.userId, userId), eq(questProgress.questId, questId))
    return reader
      .select()
      .from(questProgress)
      .where(and(own, isNull(questProgress.claimedAt)))
  },
)

/** Which of these quests a fan has completed in some period. */
export async function listCompleted(
  reader: Reader,
  userId: string,
  questIds: string[],
): Promise<Set<string>> {
  const rows = questIds.length === 0 ? [] : await selectCompleted(reader, { userId, questIds })
  return new Set(rows.map(({ questId }) => questId))
}

const selectCompleted = prepared(
  (reader: Reader, { userId, questIds }: { userId: string; questIds: string[] }) => {
    const { questProgress } = reader.tables
    const { questId } = questProgress
    return reader
      .selectDistinct({ questId })
      .from(questProgress)
      .where(
        and(
          eq(questProgress.userId, userId),
          inArray(questId, questIds),
          isNotNull(questProgress.completedAt),
        ),
      )
  },
)

/** The ends of a fan's completed periods of a quest, in order. */
export const selectCompletedEnds = prepared(
  (reader: Reader, { userId, questId }: { userId: string; questId: string }) => {
    const { questProgress } = reader.tables
    return reader
      .select({ endsAt: questProgress.endsAt })
      .from(questProgress)
      .where(
        and(
          eq(questProgress.userId, userId),
          eq(questProgress.questId, questId),
          isNotNull(questProgress.completedAt),
        ),
      )
      .orderBy(asc(questProgress.endsAt))
  },
)
