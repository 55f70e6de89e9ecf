/** The fact that a fan has been onboarded. */
import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { fanTopic } from '../views/topics.ts'

export async function findCompletion(reader: Reader, userId: string): Promise<Date | null> {
  const { onboardings } = reader.tables
  const [row] = await reader
    .select({ completedAt: onboardings.completedAt })
    .from(onboardings)
    .where(eq(onboardings.userId, userId))
  return row?.completedAt ?? null
}

/** Records the completion. False when there is one already: of any number at once, one gets true. */
export async function recordCompletion(tx: Transaction, userId: string): Promise<boolean> {
  const [row] = await tx
    .insert(tx.tables.onboardings)
    .values({ userId, completedAt: tx.now() })
    .onConflictDoNothing()
    .returning()
  if (row) tx.touch(fanTopic(userId))
  return row !== undefined
}
