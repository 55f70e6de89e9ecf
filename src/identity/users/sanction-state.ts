/**
 * The result of all decisions of moderators about a fan, stored in the fan's record, where locks and reads
 * find it.
 */
import { and, eq, isNull, lte, or } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
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

/** Those of the fans who are not erased, merged or suspended: others get no message outside of the app. */
export const findReachable = async (reader: Reader, userIds: string[]): Promise<ReadonlySet<string>> =>
  new Set((await selectReachable(reader, toList(userIds), reader.now())).map(({ id }) => id))

const selectReachable = prepared((reader: Reader, userIds: string, now: Date) => {
  const { users } = reader.tables
  const mayUse = or(isNull(users.suspendedUntil), lte(users.suspendedUntil, now))
  return reader
    .select({ id: users.id })
    .from(users)
    .where(
      and(isListed(reader, users.id, userIds), isNull(users.erasedAt), isNull(users.mergedIntoId), mayUse),
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
