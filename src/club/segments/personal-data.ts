/** What was recorded about a fan and tracked segments, for exports, erasures and merges. */
import { asc, eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'

/** Without names of segments, which are for the staff. */
export function exportSegments(reader: Reader, userId: string) {
  const { segmentMembers: rows } = reader.tables
  const { segmentId, isMember, changes, changedAt } = rows
  return reader
    .select({ segmentId, isMember, changes, changedAt })
    .from(rows)
    .where(eq(rows.userId, userId))
    .orderBy(asc(segmentId))
}

export async function deleteSegmentsOf(tx: Transaction, userId: string): Promise<void> {
  const { segmentMembers: rows } = tx.tables
  await tx.delete(rows).where(eq(rows.userId, userId))
}
