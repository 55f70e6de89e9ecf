/** Checks of rows that a merge may have moved to another fan. */
import { and, inArray, isNotNull, or } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import type { Finding } from '../../core/finding.ts'

/** `fanOf`: the remaining fan of each merged record; empty for the others. `apart`: records of the range that are checked by another call. */
type FindWrong = (range: Range, fanOf: Map<string, string>, apart: ReadonlySet<string>) => Promise<Finding[]>

/**
 * Checks the fans of a range. All records of a merged person are checked together, in the range of the fan who remained.
 * Findings about records `apart` are left out. What several fans say of one row must not read those records at all.
 */
export async function byMergedFans(reader: Reader, range: Range, find: FindWrong): Promise<Finding[]> {
  const groups = await readMergedGroups(reader, range)
  const members = new Set(groups.flatMap(({ records }) => records))
  const findings = await find(range, new Map(), members)
  const alone = findings.filter(({ userId }) => userId === null || !members.has(userId))
  for (const { fanId, records, isAsked } of groups) {
    if (!isAsked) continue
    alone.push(...(await find({ among: records }, new Map(records.map(record => [record, fanId])), NONE)))
  }
  return alone
}

const NONE: ReadonlySet<string> = new Set()

/** The groups of merged records in which a fan of the range takes part. */
async function readMergedGroups(reader: Reader, range: Range) {
  const { users } = reader.tables
  const { id, mergedIntoId } = users
  const rows = await reader
    .select({ id, mergedIntoId })
    .from(users)
    .where(and(isNotNull(mergedIntoId), or(inRange(id, range), inRange(mergedIntoId, range))))
  const fans = [...new Set(rows.flatMap(row => row.mergedIntoId ?? []))]
  if (fans.length === 0) return []
  const all = await reader.select({ id, mergedIntoId }).from(users).where(inArray(mergedIntoId, fans))
  const asked = await reader
    .select({ id })
    .from(users)
    .where(and(inArray(id, fans), inRange(id, range)))
  const isAsked = new Set(asked.map(row => row.id))
  return fans.map(fanId => ({
    fanId,
    records: [fanId, ...all.filter(row => row.mergedIntoId === fanId).map(row => row.id)],
    isAsked: 'only' in range || isAsked.has(fanId),
  }))
}
