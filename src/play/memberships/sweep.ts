/** Records that memberships have started or ended. Their state in reads and requirements follows the clock without it. */
import { and, asc, inArray, lte } from 'drizzle-orm'
import { restAfter } from '../../../db/batches.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { lockFans } from '../../identity/users/locks.ts'
import { settle } from './write-memberships.ts'

const TOGETHER = 100

const selectDue = prepared((reader: Reader, now: Date) => {
  const { fanMemberships: rows } = reader.tables
  return reader
    .select({ ref: rows.ref, userId: rows.userId })
    .from(rows)
    .where(lte(rows.nextAt, now))
    .orderBy(asc(rows.nextAt))
    .limit(TOGETHER)
})

/** Any number of processes may run it at the same time. */
export async function settleMemberships(
  { db }: { db: Database },
  stopping: () => boolean = () => false,
): Promise<number> {
  let sum = 0
  while (!stopping()) {
    const began = performance.now()
    const due = await selectDue(db.read, db.read.now())
    if (due.length === 0) break
    sum += await db.write(tx => settleDue(tx, due))
    if (due.length < TOGETHER) break
    await restAfter(began)
  }
  return sum
}

async function settleDue(tx: Transaction, due: { ref: string; userId: string }[]): Promise<number> {
  // An erasure, which deletes the rows, and this run one after the other.
  await lockFans(tx, [...new Set(due.map(({ userId }) => userId))])
  const { fanMemberships: rows } = tx.tables
  const refs = due.map(({ ref }) => ref)
  const still = await locksForUpdate(
    tx,
    tx
      .select()
      .from(rows)
      .where(and(inArray(rows.ref, refs), lte(rows.nextAt, tx.now())))
      .orderBy(asc(rows.ref)),
  )
  await settle(
    tx,
    still.map(row => ({ before: row, after: row })),
  )
  return still.length
}
