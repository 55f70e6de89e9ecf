/**
 * Books the end of expired holds and promotions of fans who do nothing. For active fans, every hold of cash
 * books them first.
 */
import { and, eq, gt, lte } from 'drizzle-orm'
import type { Database, Reader } from '../../../db/index.ts'
import { lockSettledCash } from './holds.ts'
import type { CashKey } from './ledger.ts'

/** Accounts of one run. */
const MAX_ACCOUNTS = 1_000

/** Each account in a unit of work of its own: a repeat books nothing, and any number of processes may run it. */
export async function settleExpiredCash(
  db: Pick<Database, 'read' | 'write'>,
  stopping: () => boolean = () => false,
): Promise<void> {
  for (const key of await listExpired(db.read)) {
    if (stopping()) return
    await db.write(tx => lockSettledCash(tx, key))
  }
}

async function listExpired(reader: Reader): Promise<CashKey[]> {
  const { cashHolds: holds, cashPromotions: promotions } = reader.tables
  const now = reader.now()
  const rows = [
    ...(await reader
      .selectDistinct({ userId: holds.userId, currency: holds.currency })
      .from(holds)
      .where(and(eq(holds.state, 'held'), lte(holds.expiresAt, now)))
      .limit(MAX_ACCOUNTS)),
    ...(await reader
      .selectDistinct({ userId: promotions.userId, currency: promotions.currency })
      .from(promotions)
      .where(and(gt(promotions.remaining, 0), lte(promotions.expiresAt, now)))
      .limit(MAX_ACCOUNTS)),
  ]
  return [...new Map(rows.map(key => [`${key.userId} ${key.currency}`, key])).values()]
}
