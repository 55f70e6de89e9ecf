/** Completes sets for fans who owned all items before the set was created or changed. */
import { and, asc, eq, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { lockFan } from '../../identity/users/locks.ts'
import { completeSets, isFull, isOpen } from '../../play/sets/complete-sets.ts'

export async function listActiveSets(reader: Reader): Promise<string[]> {
  const { sets } = reader.tables
  const rows = await reader
    .select({ id: sets.id })
    .from(sets)
    .where(eq(sets.active, true))
    .orderBy(asc(sets.id))
  return rows.map(({ id }) => id)
}

/** Fans who own an item of each collectible of the set and have not completed it, by id. */
export async function* listFansWithSet(reader: Reader, setId: string): AsyncGenerator<string> {
  const { users } = reader.tables
  const rows = eachRow({ userId: users.id }, after =>
    reader
      .select({ userId: users.id })
      .from(users)
      .where(
        and(isNull(users.erasedAt), isFull(reader, users.id, setId), isOpen(reader, users.id, setId), after),
      ),
  )
  for await (const { userId } of rows) yield userId
}

/** Checks the fan again: an item may have left since. Returns whether the set was completed. */
export async function backfillSet(tx: Transaction, userId: string, setId: string): Promise<boolean> {
  if (!(await lockFan(tx, userId))) return false
  return (await completeSets(tx, [{ userId, setIds: [setId] }])) > 0
}
