/** Exports, erases and merges what divisions have of a fan. */
import { and, asc, eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'

export async function exportDivisions(reader: Reader, userId: string) {
  const { divisionMembers: members } = reader.tables
  const { divisionId, startsAt, level, number, seat, since, result } = members
  const rows = await reader
    .select({ divisionId, startsAt, level, number, seat, since, result })
    .from(members)
    .where(eq(members.userId, userId))
    .orderBy(asc(divisionId))
  return rows.map(row => ({ ...row, result: JSON.parse(row.result ?? 'null') }))
}

/** For an erasure. The seat stays empty. */
export async function deleteDivisionsOf(tx: Transaction, userId: string): Promise<void> {
  const { divisionMembers: members } = tx.tables
  await tx.delete(members).where(eq(members.userId, userId))
}

/**
 * The fan who remains takes the seat, unless they have one in a higher table, or in a newer one. Their points are those of both ledgers.
 * Both records are locked. Returns the number of divisions in which the merged fan had a seat.
 */
export async function mergeDivisions(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { divisionMembers: members } = tx.tables
  const rowsOf = (userId: string) => tx.select().from(members).where(eq(members.userId, userId))
  const theirs = await rowsOf(fromId)
  const own = new Map((await rowsOf(intoId)).map(row => [row.divisionId, row]))
  for (const from of theirs) {
    const { divisionId } = from
    const isOf = (userId: string) => and(eq(members.divisionId, divisionId), eq(members.userId, userId))
    const into = own.get(divisionId)
    const stays = into && placeOf(into) >= placeOf(from)
    const gone = stays ? fromId : intoId
    await tx.delete(members).where(isOf(gone))
    // The own ledger is read from its beginning: what it has earned in the period is not known to the row.
    if (!stays) await tx.update(members).set({ userId: intoId, afterSeq: 0 }).where(isOf(fromId))
  }
  return theirs.length
}

/** The newer period first, then the higher level. */
const placeOf = ({ startsAt, level }: { startsAt: Date; level: number }) => startsAt.getTime() + level
