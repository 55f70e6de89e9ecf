/** The limits that fans set for their own spending, as text: the room of purchases reads and changes what it says. */
import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { lockToChange } from './locks.ts'

/** Null: the fan has set none. */
export const findStoredLimits = async (reader: Reader, userId: string): Promise<string | null> =>
  (await selectStored(reader, userId))?.ownLimits ?? null

const selectStored = preparedRow((reader: Reader, userId: string) => {
  const { users } = reader.tables
  return reader.select({ ownLimits: users.ownLimits }).from(users).where(eq(users.id, userId))
})

export async function storeLimits(tx: Transaction, userId: string, ownLimits: string | null): Promise<void> {
  await lockToChange(tx, userId)
  const { users } = tx.tables
  await tx.update(users).set({ ownLimits }).where(eq(users.id, userId))
}
