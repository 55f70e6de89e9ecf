/** Who takes part in the global leaderboard. */
import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'

/** Enrols a fan, at most once. */
export async function enrol(tx: Transaction, userId: string): Promise<void> {
  await tx.insert(tx.tables.leaderboardEntries).values({ userId, enrolledAt: tx.now() }).onConflictDoNothing()
}

/** When the fan was enrolled; null when they were not. */
export async function findEnrolment(reader: Reader, userId: string): Promise<Date | null> {
  const { leaderboardEntries } = reader.tables
  const [entry] = await reader
    .select({ enrolledAt: leaderboardEntries.enrolledAt })
    .from(leaderboardEntries)
    .where(eq(leaderboardEntries.userId, userId))
  return entry?.enrolledAt ?? null
}
