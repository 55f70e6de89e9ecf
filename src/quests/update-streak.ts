/** The stored streak of a fan: extended by a completion in order, and otherwise computed from all completed periods. */
import { eq } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { prepared, preparedRow } from '../../db/prepared.ts'
import { boundedPeriodUntil } from './periods.ts'
import { isOfQuest, type QuestKey, selectCompletedEnds } from './rows.ts'
import { endOfStreak, extendStreak, type Streak, type StreakRules, streakOf } from './streak.ts'

export type StreakRow = Tables['questStreaks']['$inferSelect']

/** After a period was completed or reopened. Returns the length of the latest run. */
export async function updateStreak(
  tx: Transaction,
  key: QuestKey,
  rules: StreakRules,
  completed: { endsAt: Date | null } | null,
): Promise<number> {
  const row = await findStreak(tx, key)
  const next = completed?.endsAt ? boundedPeriodUntil(rules, completed.endsAt) : null
  const streak =
    next && (!row || row.lastEndsAt < next.endsAt)
      ? extendStreak(row, next, rules)
      : await computeStreak(tx, key, rules)
  if (streak) await upsertStreak(tx, { ...key, ...streak, endsAt: endOfStreak(streak, rules) })
  else await deleteStreak(tx, key)
  return streak?.current ?? 0
}

/** The streak that follows from a fan's completed periods. */
async function computeStreak(reader: Reader, key: QuestKey, rules: StreakRules) {
  const ends = (await selectCompletedEnds(reader, key)).flatMap(({ endsAt }) => endsAt ?? [])
  return streakOf(ends, rules)
}

export const findStreak = preparedRow((reader: Reader, key: QuestKey) =>
  reader.select().from(reader.tables.questStreaks).where(isOfQuest(reader.tables.questStreaks, key)),
)

const upsertStreak = prepared(
  (tx: Transaction, { userId, questId, ...streak }: QuestKey & Streak & { endsAt: Date }) => {
    const { questStreaks } = tx.tables
    return tx
      .insert(questStreaks)
      .values({ userId, questId, ...streak })
      .onConflictDoUpdate({ target: [questStreaks.userId, questStreaks.questId], set: streak })
  },
)

const deleteStreak = prepared((tx: Transaction, key: QuestKey) =>
  tx.delete(tx.tables.questStreaks).where(isOfQuest(tx.tables.questStreaks, key)),
)

/** All streaks of a fan. */
export const selectStreaks = prepared((reader: Reader, userId: string) => {
  const { questStreaks } = reader.tables
  return reader.select().from(questStreaks).where(eq(questStreaks.userId, userId))
})
