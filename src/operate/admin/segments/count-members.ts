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

interface Sets {
  /** Fans are in each of them. */
  within: SQL[]
  /** They are in none of them. */
  without: SQL[]
  /** What their own row says. */
  own: SQL[]
}

function setsOf(reader: Reader, when: SegmentCondition[]): Sets {
  const sets: Sets = { within: [], without: [], own: [] }
  for (const condition of when) {
    const set = fanSetOf(reader, condition)
    if (set) sets[set.isWithout ? 'without' : 'within'].push(set.fans)
    else sets.own.push(conditionSql(reader, condition))
  }
  return sets
}

/** A query for the ids of all fans in these sets, neither erased nor merged, in a column `id`. */
function membersSql(reader: Reader, { within, without, own }: Sets): SQL {
  const { users } = reader.tables
  const [first, ...others] = within
  if (first && own.length === 0) {
    const common = commonIds(reader, [first, ...others], without)
    return sql`select id from (${common}) as common where id not in (${goneFans(reader)})`
  }
  const fans = sql`select ${users.id} as id from ${users} where ${and(isFan(reader), ...own)}`
  return commonIds(reader, [fans, ...within], without)
}

export async function countMembers(reader: Reader, when: SegmentCondition[]): Promise<number> {
  const sets = setsOf(reader, when)
  const { within, without, own } = sets
  const [only, ...others] = without
  // All fans less those of one set: both are counted without comparing them.
  if (only && others.length + within.length + own.length === 0) {
    const all: Sets = { within, without: [], own }
    return (await countIn(reader, all)) - (await countIn(reader, { ...all, within: [only] }))
  }
  return countIn(reader, sets)
}

async function countIn(reader: Reader, sets: Sets): Promise<number> {
  const [row] = await reader.select({ fans: count() }).from(sql`(${membersSql(reader, sets)}) as members`)
  return Number(row?.fans)
}

const SAMPLE = 10

/** Some fans of a segment, for people who may read fans. */
export function readSample(reader: Reader, when: SegmentCondition[]) {
  const { id, displayName, handle } = reader.tables.users
  const members = sql`(select id from (${membersSql(reader, setsOf(reader, when))}) as members order by id limit ${sql.raw(String(SAMPLE))})`
  return reader
    .select({ id, displayName, handle })
    .from(reader.tables.users)
    .where(inArray(id, members))
    .orderBy(asc(id))
}
