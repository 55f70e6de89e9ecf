/** The stored streaks of a fan. */
import { eq } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { isOfQuest, type QuestKey, selectCompletedEnds } from './rows.ts'
import { endOfRun, type Streak, type StreakRules, streakAt } from './streak.ts'

export type StreakRow = Tables['questStreaks']['$inferSelect']

/** The ends of a fan's completed periods, in order. */
const listEnds = async (reader: Reader, key: QuestKey) =>
  (await selectCompletedEnds(reader, key)).flatMap(({ endsAt }) => endsAt ?? [])

/** A stored streak with its current run. Reads nothing while the run has not become shorter, or when it is over. */
export async function readRun(
  reader: Reader,
  row: StreakRow,
  rules: StreakRules,
  now: Date,
): Promise<Streak | undefined> {
  if (row.endsAt <= now || now < endOfRun(row, rules)) return row
  const { userId, questId } = row
  return streakAt(await listEnds(reader, { userId, questId }), rules, now)
}

export const findStreak = preparedRow((reader: Reader, key: QuestKey) =>
  reader.select().from(reader.tables.questStreaks).where(isOfQuest(reader.tables.questStreaks, key)),
)

/** All streaks of a fan. */
export const selectStreaks = prepared((reader: Reader, userId: string) => {
  const { questStreaks } = reader.tables
  return reader.select().from(questStreaks).where(eq(questStreaks.userId, userId))
})
