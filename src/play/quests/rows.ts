/** The rows of a fan's progress. */
import { and, asc, type Column, eq, inArray, isNotNull, isNull, min } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'

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

/** Claims a period. Returns no row if it is not completed, or is claimed already. */
export const claimPeriod = prepared(
  (tx: Transaction, key: PeriodKey, claim: { claimedAt: Date; given: string }) => {
    const { questProgress } = tx.tables
    return tx
      .update(questProgress)
      .set(claim)
      .where(and(isOf(questProgress, key), isClaimable(questProgress)))
      .returning()
  },
)

/** What a claimed period gave. */
export const updateGiven = prepared(
  (tx: Transaction, { userId, questId, period }: PeriodKey, given: string) => {
    const { questProgress } = tx.tables
    return tx.update(questProgress).set({ given }).where(isOf(questProgress, { userId, questId, period }))
  },
)

/** Which of these quests a fan has completed in some period, and when first. */
export async function readCompletions(reader: Reader, userId: string, questIds: string[]) {
  const rows = questIds.length === 0 ? [] : await selectCompletions(reader, userId, questIds)
  return new Map(rows.flatMap(({ questId, first }) => (first ? [[questId, first] as const] : [])))
}

const selectCompletions = prepared((reader: Reader, userId: string, questIds: string[]) => {
  const { questProgress } = reader.tables
  const { questId, completedAt } = questProgress
  return reader
    .select({ questId, first: min(completedAt) })
    .from(questProgress)
    .where(and(eq(questProgress.userId, userId), inArray(questId, questIds), isNotNull(completedAt)))
    .groupBy(questId)
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
