/** Who takes part in the leaderboards. */
import { hash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { writeScores } from './rank-index/entries.ts'
import type { BoardScore } from './rank-index/rank-index.ts'

/**
 * Enrols a fan, at most once, with what they have earned before. The caller has locked the fan's points account, so that
 * nothing is earned at the same time. True when this call enrolled them.
 */
export async function enrol(tx: Transaction, userId: string, earned: BoardScore[]): Promise<boolean> {
  const enrolledAt = tx.now()
  const [row] = await insertEnrolment(tx, { userId, enrolledAt, hash: hashEnrolment({ userId, enrolledAt }) })
  if (row) await writeScores(tx, userId, [], earned)
  return row !== undefined
}

const insertEnrolment = prepared((tx: Transaction, enrolment: Tables['leaderboardEntries']['$inferInsert']) =>
  tx.insert(tx.tables.leaderboardEntries).values(enrolment).onConflictDoNothing().returning(),
)

/** When the fan was enrolled; null when they were not. */
export async function findEnrolment(reader: Reader, userId: string): Promise<Date | null> {
  const [entry] = await selectEnrolment(reader, userId)
  return entry?.enrolledAt ?? null
}

const selectEnrolment = prepared((reader: Reader, userId: string) => {
  const { leaderboardEntries } = reader.tables
  return reader
    .select({ enrolledAt: leaderboardEntries.enrolledAt })
    .from(leaderboardEntries)
    .where(eq(leaderboardEntries.userId, userId))
})

/** SHA-256, in lower-case hex, over the JSON array `["enrolment", userId, enrolledAt]`; `enrolledAt` as in the ledger. */
export function hashEnrolment({ userId, enrolledAt }: { userId: string; enrolledAt: Date }): string {
  return hash('sha256', JSON.stringify(['enrolment', userId, enrolledAt.toISOString()]), 'hex')
}
