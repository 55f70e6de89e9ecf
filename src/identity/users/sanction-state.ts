/**
 * The result of all decisions of moderators about a fan, stored in the fan's record, where locks and reads
 * find it.
 */
import { and, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { locksExclusively } from '../../../db/row-lock.ts'

/** Waits for each unit of work of the fan. Undefined for a fan without a record or erased. */
export const lockForSanction = preparedRow((tx: Transaction, userId: string) => {
  const { users } = tx.tables
  return locksExclusively(
    tx,
    tx
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.erasedAt))),
  )
})

interface SanctionState {
  hiddenAt: Date | null
  silencedAt: Date | null
  suspendedUntil: Date | null
}

/** The caller has locked the record. */
export async function writeSanctionState(tx: Transaction, userId: string, state: SanctionState) {
  const { users } = tx.tables
  await tx.update(users).set(state).where(eq(users.id, userId))
}
