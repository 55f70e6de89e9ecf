/** The rows of a fan's progress. */
import { and, asc, type Column, eq, inArray, isNotNull, isNull } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { prepared, preparedRow } from '../../db/prepared.ts'

export type ProgressRow = Tables['questProgress']['$inferSelect']

/** Identifies a quest for a fan. */
export interface QuestKey {
  userId: string
  questId: string
}

/** Identifies a period of a quest for a fan. */
export interface PeriodKey extends QuestKey {
  period: string
}

type Values<Key> = Record<keyof Key, Column | string>

export const isOfQuest = (table: Record<keyof QuestKey, Column>, { userId, questId }: Values<QuestKey>) =>
  and(eq(table.userId, userId), eq(table.questId, questId))

/** The condition for a period of a quest, in a table of progress or of counted events. */
export const isOf = (table: Record<keyof PeriodKey, Column>, key: Values<PeriodKey>) =>
  and(isOfQuest(table, key), eq(table.period, key.period))

/** The condition for periods whose reward can be claimed. */
export const isClaimable = ({ completedAt, claimedAt }: Tables['questProgress']) =>
  and(isNotNull(completedAt), isNull(claimedAt))

export const findProgress = preparedRow((reader: Reader, key: PeriodKey) =>
  reader.select().from(reader.tables.questProgress).where(isOf(reader.tables.questProgress, key)),
)

/** A fan's rows of periods with these keys, of any quest. There are few keys: one for each unit and day that some zone has. */
export const selectPeriods = prepared((reader: Reader, userId: string, periods: string[]) => {
  const { questProgress } = reader.tables
  return reader
    .select()
    .from(questProgress)
    .where(and(eq(questProgress.userId, userId), inArray(questProgress.period, periods)))
})

export const insertProgress = prepared((tx: Transaction, row: Tables['questProgress']['$inferInsert']) =>
  tx.insert(tx.tables.questProgress).values(row),
)

export const updateCounts = prepared((tx: Transaction, key: PeriodKey, counts: string) =>
  tx.update(tx.tables.questProgress).set({ counts }).where(isOf(tx.tables.questProgress, key)),
)

type Completion = Pick<ProgressRow, 'completedAt' | 'completionId' | 'claimedAt' | 'given'>

/** Returns no row if the period is completed already. */
export const updateCompleted = prepared((tx: Transaction, key: PeriodKey, completion: Completion) => {
  const { questProgress } = tx.tables
  return tx
    .update(questProgress)
    .set(completion)
    .where(and(isOf(questProgress, key), isNull(questProgress.completedAt)))
    .returning({ period: questProgress.period })
})

/** Claims a period, or takes its completion back. Returns no row if it is not completed, or is claimed already. */
export const updateClaimable = prepared((tx: Transaction, key: PeriodKey, change: Partial<Completion>) => {
  const { questProgress } = tx.tables
  return tx
    .update(questProgress)
    .set(change)
    .where(and(isOf(questProgress, key), isClaimable(questProgress)))
    .returning()
})

/** A fan's rows of a quest that are not claimed. */
export const selectUnclaimed = prepared((reader: Reader, key: QuestKey) => {
  const { questProgress } = reader.tables
  return reader
    .select()
    .from(questProgress)
    .where(and(isOfQuest(questProgress, key), isNull(questProgress.claimedAt)))
})

/** Which of these quests a fan has completed in some period. */
export async function listCompleted(reader: Reader, userId: string, questIds: string[]) {
  const rows = questIds.length === 0 ? [] : await selectCompleted(reader, userId, questIds)
  return new Set(rows.map(({ questId }) => questId))
}

const selectCompleted = prepared((reader: Reader, userId: string, questIds: string[]) => {
  const { questProgress } = reader.tables
  const { questId, completedAt } = questProgress
  return reader
    .selectDistinct({ questId })
    .from(questProgress)
    .where(and(eq(questProgress.userId, userId), inArray(questId, questIds), isNotNull(completedAt)))
})

/** The ends of a fan's completed periods of a quest, in order. */
export const selectCompletedEnds = prepared((reader: Reader, key: QuestKey) => {
  const { questProgress } = reader.tables
  const { endsAt, completedAt } = questProgress
  return reader
    .select({ endsAt })
    .from(questProgress)
    .where(and(isOfQuest(questProgress, key), isNotNull(completedAt)))
    .orderBy(asc(endsAt))
})
