/** What fans earned in a period by their ledgers, in larger statements. Earning writes nothing for it. */
import { type SQL, sql } from 'drizzle-orm'
import { byName, rowsOfEach } from '../../../db/first-of-each.ts'
import type { Reader } from '../../../db/index.ts'
import { GRANT_REASONS, OPENING_REASONS, REFUND_REASONS } from '../ledgers/reasons.ts'
import type { AppendedEntry } from './appended-entries.ts'

/** What a merge carries over was earned in the other ledger. */
const NOT_EARNED: string[] = [...REFUND_REASONS, ...OPENING_REASONS, 'merge']

/** Whether an entry counts in a period. `uncounted`: part of the refs of rules that do not count. */
export const isEarned = (
  { delta, reason, ref }: AppendedEntry,
  { ofPredictions, uncounted }: { ofPredictions: boolean; uncounted: string },
): boolean =>
  delta > 0 &&
  (ofPredictions
    ? reason === 'prediction'
    : !NOT_EARNED.includes(reason) && !(reason === 'rule' && ref.includes(uncounted)))

const listOf = (texts: readonly string[]) => sql.raw(texts.map(text => `'${text}'`).join(', '))

interface Counting {
  startsAt: Date
  endsAt: Date
  /** Until when what is taken back does not count. */
  finalAt: Date
  ofPredictions: boolean
  uncounted: string
}

/**
 * SQL for what the rows of `records` have earned from the start of a period, by `user_id`: `recordsOf` rows with a column `after_seq`, up to
 * which nothing counts. The ledger of a merged record is read from its beginning. `last_seq` and `later_seq` are of the own ledger.
 */
export function sumEarned(
  { tables: { pointsEntries } }: Pick<Reader, 'tables'>,
  { startsAt, endsAt, finalAt, ofPredictions, uncounted }: Counting,
): { sums: SQL; at: typeof pointsEntries.createdAt } {
  const { userId, seq, delta, reason, ref, createdAt } = byName(pointsEntries)
  const isOwn = sql`records.record_id = records.user_id`
  const earns = ofPredictions
    ? sql`${reason} = 'prediction'`
    : sql`${delta} > 0 and ${reason} not in (${listOf(NOT_EARNED)})
        and not (${reason} = 'rule' and ${ref} like ${sql.raw(`'%${uncounted}%'`)})`
  const from = rowsOfEach(
    sql`records`,
    pointsEntries,
    sql`${userId} = records.record_id and ${seq} > case when ${isOwn} then records.after_seq else 0 end
      and ${createdAt} >= ${startsAt} and ${earns}`,
  )
  // What was taken back of it until the points were final.
  const taken = sql`case when ${reason} in (${listOf(GRANT_REASONS)}) then coalesce((select taken.delta from ${pointsEntries} taken
    where taken.user_id = ${userId} and taken.reason = ${reason} || '_void' and taken.ref = ${ref} and taken.created_at < ${finalAt}), 0) else 0 end`
  const isWithin = sql`created_at < ${endsAt}`
  const sums = sql`select user_id, sum(case when ${isWithin} then remaining else 0 end) as points,
      max(case when ${isWithin} and remaining > 0 then created_at end) as reached_at,
      max(case when ${isWithin} and is_own then seq end) as last_seq,
      min(case when not (${isWithin}) and is_own then seq end) as later_seq,
      sum(case when ${isWithin} then 0 else 1 end) as later
    from (select records.user_id, ${isOwn} as is_own, ${seq} as seq, ${createdAt} as created_at, ${delta} + ${taken} as remaining from ${from}) earned
    group by user_id`
  return { sums, at: pointsEntries.createdAt }
}
