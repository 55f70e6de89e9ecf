/**
 * Counts the fans of a segment, and finds the first ones, from the sets of its conditions. `isMember` looks up the rows of each fan
 * instead, which takes several times as long for a million fans, and less for few.
 */
import { and, asc, count, inArray, type SQL, sql } from 'drizzle-orm'
import { commonIds } from '../../../../db/common-ids.ts'
import type { Reader } from '../../../../db/index.ts'
import type { SegmentCondition } from '../../../club/segments/segment-kind.ts'
import { fanSetOf } from './fact-sets.ts'
import { conditionSql, goneFans, isFan } from './fact-sql.ts'
import { isMember } from './segments.ts'

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

/** To look up the other facts of this many fans takes as long as to read the table of one. */
const FEW = 100_000

export async function countMembers(reader: Reader, when: SegmentCondition[], few = FEW): Promise<number> {
  const sets = setsOf(reader, when)
  const { within, without, own } = sets
  if (own.length < when.length && (await areFew(reader, own, few))) return countByFan(reader, when)
  const [only, ...others] = without
  // All fans less those of one set: both are counted without comparing them.
  if (only && others.length + within.length + own.length === 0)
    return (await countFans(reader)) - (await countIn(reader, { within: [only], without: [], own }))
  return countIn(reader, sets)
}

/** Whether what the rows of fans say leaves few. */
async function areFew(reader: Reader, own: SQL[], few: number): Promise<boolean> {
  if (own.length === 0) return false
  const { users } = reader.tables
  const first = reader
    .select({ id: users.id })
    .from(users)
    .where(and(isFan(reader), ...own))
    .limit(few + 1)
    .as('first_fans')
  const [row] = await reader.select({ fans: count() }).from(first)
  return row !== undefined && row.fans <= few
}

async function countByFan(reader: Reader, when: SegmentCondition[]): Promise<number> {
  const [row] = await reader.select({ fans: count() }).from(reader.tables.users).where(isMember(reader, when))
  return row?.fans ?? 0
}

/** All records less those that are erased or merged: an index has each. */
async function countFans(reader: Reader): Promise<number> {
  const { users } = reader.tables
  const gone = sql<number>`(select count(*) from (${goneFans(reader)}) as gone)`.mapWith(Number)
  const [row] = await reader.select({ records: count(), gone }).from(users)
  return row ? row.records - row.gone : 0
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
