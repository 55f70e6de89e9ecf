/** Grants of merged fans. They are taken back from the remaining fans. */
import { and, eq, gt, lt } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'
import { grantSeqOfMergeRef } from './reasons.ts'

/** The refs of carried-over grants, by the entry of the merged fan's grant. */
export async function readCarriedGrants(reader: Reader, merge: Merge): Promise<Map<number, string>> {
  const { fromId, intoId } = merge
  const { pointsEntries: entries } = reader.tables
  const rows = await reader
    .select({ ref: entries.ref })
    .from(entries)
    .where(
      and(
        eq(entries.userId, intoId),
        eq(entries.reason, 'merge'),
        // The refs that begin with the id and a colon.
        gt(entries.ref, `${fromId}:`),
        lt(entries.ref, `${fromId};`),
      ),
    )
  const grants = rows.flatMap(({ ref }) => {
    const grant = grantSeqOfMergeRef(ref)
    return grant ? [[grant.seq, ref] as const] : []
  })
  return new Map(grants)
}
