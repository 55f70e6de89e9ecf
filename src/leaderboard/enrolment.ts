/** Who takes part in the leaderboards. */
import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import type { Place } from './counts.ts'
import { placeFan } from './places.ts'

/**
 * Enrols a fan, at most once, with what they have earned before. The caller holds the fan's points account, so that
 * nothing is earned meanwhile. True when this call enrolled them.
 */
export async function enrol(tx: Transaction, userId: string, earned: Place[]): Promise<boolean> {
  const enrolledAt = tx.now()
  const [row] = await tx
    .insert(tx.tables.leaderboardEntries)
    .values({ userId, enrolledAt, hash: hashEnrolment({ userId, enrolledAt }) })
    .onConflictDoNothing()
    .returning()
  if (row) await placeFan(tx, userId, [], earned)
  return row !== undefined
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

/** SHA-256, in lower-case hex, over the JSON array `["enrolment", userId, enrolledAt]`; `enrolledAt` as in the ledger. */
export function hashEnrolment({ userId, enrolledAt }: { userId: string; enrolledAt: Date }): string {
  return createHash('sha256')
    .update(JSON.stringify(['enrolment', userId, enrolledAt.toISOString()]))
    .digest('hex')
}
