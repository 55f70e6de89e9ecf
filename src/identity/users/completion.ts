/** The record that a fan has completed the onboarding. */
import { eq } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'

export async function findCompletion(reader: Reader, userId: string): Promise<Date | null> {
  const [row] = await selectCompletion(reader, userId)
  return row?.completedAt ?? null
}

/** Query for the completion of a fan. */
export function completionOf(reader: Reader, userId: string) {
  const { onboardings } = reader.tables
  return reader
    .select({ completedAt: onboardings.completedAt })
    .from(onboardings)
    .where(eq(onboardings.userId, userId))
}

const selectCompletion = prepared(completionOf)

/** Records the completion. Returns false if there is one already; of concurrent calls one returns true. */
export async function recordCompletion(tx: Transaction, userId: string, completedAt = tx.now()) {
  const [row] = await insertCompletion(tx, { userId, completedAt })
  return row !== undefined
}

/** As `recordCompletion` for many fans. */
export async function recordCompletions(
  tx: Transaction,
  completions: Tables['onboardings']['$inferInsert'][],
): Promise<void> {
  await insertRows(tx, tx.tables.onboardings, completions, 'skip')
}

const insertCompletion = prepared((tx: Transaction, completion: Tables['onboardings']['$inferInsert']) =>
  tx
    .insert(tx.tables.onboardings)
    .values(completion)
    .onConflictDoNothing()
    .returning({ userId: tx.tables.onboardings.userId }),
)
