/** Recomputes the points that expired after a merge. */
import { and, eq } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import type { Finding } from '../../core/finding.ts'
import { endOfExpiredDay } from '../../economy/points/expiry.ts'
import { lotsOf, readMergedLedgers } from '../../economy/points/lots.ts'

/**
 * The expired points of fans who remained after a merge, which also depend on the ledgers of the merged fans. Entries never
 * change. The ledgers are read after the entries of expiry, so they include all earlier
 * entries.
 */
export async function findWrongMergedExpiry(reader: Reader, range: Range): Promise<Finding[]> {
  const { fanMerges, pointsEntries: entries } = reader.tables
  const { userId, seq, delta, ref } = entries
  const expired = await reader
    .selectDistinct({ userId, seq, delta, ref })
    .from(fanMerges)
    .innerJoin(entries, and(eq(userId, fanMerges.intoId), eq(entries.reason, 'expired')))
    .where(inRange(fanMerges.intoId, range))
  const ledgers = await readMergedLedgers(reader, [...new Set(expired.map(({ userId }) => userId))])
  return expired.flatMap(({ userId, seq, delta, ref }): Finding[] => {
    const end = endOfExpiredDay(ref)
    // The audit of the fan's own entries reports this error.
    if (!end) return []
    const ended = lotsOf(ledgers, userId, seq).filter(({ at }) => at < end)
    const expected = -ended.reduce((sum, { points }) => sum + points, 0)
    return delta === expected ? [] : [{ userId, what: 'points_entries.delta', seq, expected, actual: delta }]
  })
}
