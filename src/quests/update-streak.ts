/** The stored streak of a fan: extended by a completion in order, and otherwise computed from all completed periods. */
import { and, eq } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { type BoundedPeriod, periodUntil } from './periods.ts'
import { selectCompletedEnds } from './rows.ts'
import { endOfStreak, extendStreak, type Streak, type StreakRules, streakOf } from './streak.ts'

export type StreakRow = Tables['questStreaks']['$inferSelect']

interface StreakKey {
  userId: string
  questId: string
}

/** After a period was completed or reopened. Returns the length of the latest run. */
export async function updateStreak(
  tx: Transaction,
  key: StreakKey,
  rules: StreakRules,
  completed: { endsAt: Date | null } | null,
): Promise<number> {
  const row = await findStreak(tx, key)
  const next = completed?.endsAt ? boundsOf(rules, completed.endsAt) : null
  const streak =
    next && (!row || row.lastEndsAt < next.endsAt)
      ? extendStreak(row, next, rules)
      : await computeStreak(tx, key, rules)
  if (streak) await upsertStreak(tx, { ...key, ...streak, endsAt: endOfStreak(streak, rules) })
  else await deleteStreak(tx, key)
  return streak?.current ?? 0
}

/** The streak that follows from a fan's completed periods. */
async function computeStreak(reader: Reader, key: StreakKey, rules: StreakRules) {
  const rows = await selectCompletedEnds(reader, key)
  return streakOf(
    rows.flatMap(({ endsAt }) => endsAt ?? []),
    rules,
  )
}

function boundsOf(rules: StreakRules, endsAt: Date): Pick<BoundedPeriod, 'startsAt' | 'endsAt'> {
  const { startsAt } = periodUntil(rules, endsAt)
  return { startsAt: startsAt ?? endsAt, endsAt }
}

export const findStreak = async (reader: Reader, { userId, questId }: StreakKey) =>
  (await selectStreak(reader, { userId, questId }))[0]

const selectStreak = prepared((reader: Reader, key: StreakKey) =>
  reader.select().from(reader.tables.questStreaks).where(isOf(reader, key)),
)

const isOf = ({ tables: { questStreaks } }: Reader, { userId, questId }: StreakKey) =>
  and(eq(questStreaks.userId, userId), eq(questStreaks.questId, questId))

const upsertStreak = prepared(
  (tx: Transaction, { userId, questId, ...streak }: StreakKey & Streak & { endsAt: Date }) => {
    const { questStreaks } = tx.tables
    return tx
      .insert(questStreaks)
      .values({ userId, questId, ...streak })
      .onConflictDoUpdate({ target: [questStreaks.userId, questStreaks.questId], set: streak })
  },
)

const deleteStreak = prepared((tx: Transaction, key: StreakKey) =>
  tx.delete(tx.tables.questStreaks).where(isOf(tx, key)),
)

/** All streaks of a fan. */
export const selectStreaks = prepared((reader: Reader, userId: string) => {
  const { questStreaks } = reader.tables
  return reader.select().from(questStreaks).where(eq(questStreaks.userId, userId))
})
