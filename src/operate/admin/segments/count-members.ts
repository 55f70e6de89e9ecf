/**
 * Counts the fans of a segment, and finds the first ones, from the sets of its conditions. `isMember` looks up the rows of each fan
 * instead, which takes several times as long for a million fans.
 */
import { and, asc, count, inArray, type SQL, sql } from 'drizzle-orm'
import { commonIds } from '../../../../db/common-ids.ts'
import type { Reader } from '../../../../db/index.ts'
import type { SegmentCondition } from '../../../club/segments/segment-kind.ts'
import { fanSetOf } from './fact-sets.ts'
import { conditionSql, goneFans, isFan } from './fact-sql.ts'

/** A query for the ids `fan_id` of all fans who meet the conditions, neither erased nor merged. */
function membersSql(reader: Reader, when: SegmentCondition[]): SQL {
  const { users } = reader.tables
  const conditions = when.map(condition => ({ condition, set: fanSetOf(reader, condition) }))
  const sets = conditions.flatMap(({ set }) => set ?? [])
  const within = sets.filter(({ isWithout }) => !isWithout).map(({ fans }) => fans)
  const without = sets.filter(({ isWithout }) => isWithout).map(({ fans }) => fans)
  const own = conditions.flatMap(({ condition, set }) => (set ? [] : conditionSql(reader, condition)))
  const [first, ...others] = within
  if (first && own.length === 0) {
    const common = commonIds(reader, [first, ...others], without)
    return sql`select fan_id from (${common}) as common where fan_id not in (${goneFans(reader)})`
  }
  const base = sql`select ${users.id} as fan_id from ${users} where ${and(isFan(reader), ...own)}`
  return commonIds(reader, [base, ...within], without)
}

export async function countMembers(reader: Reader, when: SegmentCondition[]): Promise<number> {
  const [row] = await reader.select({ fans: count() }).from(sql`(${membersSql(reader, when)}) as members`)
  return Number(row?.fans)
}

const SAMPLE = 10

/** Some fans of a segment, for people who may read fans. */
export function readSample(reader: Reader, when: SegmentCondition[]) {
  const { id, displayName, handle } = reader.tables.users
  const members = sql`(select fan_id from (${membersSql(reader, when)}) as members order by fan_id limit ${sql.raw(String(SAMPLE))})`
  return reader
    .select({ id, displayName, handle })
    .from(reader.tables.users)
    .where(inArray(id, members))
    .orderBy(asc(id))
}
