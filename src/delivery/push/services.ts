/** Services that send pushes. Its row is locked while results are stored, and pushes are claimed or queued again. */
import { eq } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'

export const lockService = prepared((tx: Transaction, name: string) => {
  const { pushServices } = tx.tables
  return locksForUpdate(tx, tx.select().from(pushServices).where(eq(pushServices.name, name)))
})
