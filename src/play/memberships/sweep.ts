/** Records that memberships have started or ended. Their state in reads and requirements follows the clock without it. */
import { and, asc, inArray, lte } from 'drizzle-orm'
import { restAfter } from '../../../db/batches.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { lockFans } from '../../identity/users/locks.ts'
import type { MembershipRow } from './periods.ts'
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
  const changes = firstOf(still).map(row => ({ before: row, after: row, at: row.nextAt ?? tx.now() }))
  await settle(
    tx,
    changes.toSorted((a, b) => a.at.getTime() - b.at.getTime()),
  )
  return changes.length
}

/**
 * Each change at its time and in that order, also after a pause: a membership that started and ended meanwhile is due twice. What
 * follows its end waits for the next batch.
 */
function firstOf(rows: MembershipRow[]): MembershipRow[] {
  const until = new Map<string, number>()
  for (const { userId, nextAt, endsAt } of rows)
    if (nextAt && nextAt < endsAt)
      until.set(userId, Math.min(until.get(userId) ?? Number.POSITIVE_INFINITY, endsAt.getTime()))
  return rows.filter(({ userId, nextAt }) => {
    const end = until.get(userId)
    return !nextAt || end === undefined || nextAt.getTime() <= end
  })
}
