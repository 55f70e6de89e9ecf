/** Which points count in a division, and the tables with them. Earning writes nothing: points are read from the ledgers of the members. */
import { sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { takesPartNow } from '../../economy/leaderboard/enrolment.ts'
import type { AppendedEntry } from '../../economy/points/appended-entries.ts'
import { finalAfter } from '../../economy/points/earned-between.ts'
import { isEarned, sumEarned } from '../../economy/points/earned-sums.ts'
import { recordsOf } from '../../identity/users/merges.ts'
import type { Scoring } from './division-set.ts'
import type { Period } from './periods.ts'
import type { Member } from './zones.ts'

/** The ids of events of divisions begin with it. */
export const EVENT_PREFIX = 'division:'

/** What a rule gives for the result of a division: otherwise it would count in the next period, and keep idle fans in their tables. */
const OF_RESULT = `:matchday:${EVENT_PREFIX}`

export const isCounted = (entry: AppendedEntry, scoring: Scoring): boolean =>
  isEarned(entry, { ofPredictions: scoring === 'predictions', uncounted: OF_RESULT })

export interface Seated extends Member {
  level: number
  number: number
  afterSeq: number
  since: Date
  /** The last entry that counts in the period, of the own ledger. */
  lastSeq: number | null
  /** The first entry that was earned after the period, of the own ledger, and whether there is one in any. */
  laterSeq: number | null
  isEarning: boolean
}

/** The members of some tables of a level, in any order. A fan who has left the leaderboards has no points. */
export async function readTables(
  reader: Reader,
  { divisionId, startsAt, endsAt, scoring }: Period,
  { level, first, last }: { level: number; first: number; last: number },
): Promise<Seated[]> {
  const within = { divisionId, startsAt, level, first, last }
  const rows = await selectMembers(reader, within, {
    endsAt,
    finalAt: finalAfter(endsAt),
    ofPredictions: scoring === 'predictions',
  })
  return rows.map(({ isEnrolled, ...row }) => {
    const points = isEnrolled ? row.points : 0
    return {
      ...row,
      level,
      points,
      reachedAt: points > 0 ? row.reachedAt : null,
      isEarning: isEnrolled && row.later > 0,
    }
  })
}

interface Within {
  divisionId: string
  startsAt: Date
  level: number
  first: number
  last: number
}

interface Counting {
  endsAt: Date
  finalAt: Date
  ofPredictions: boolean
}

/**
 * Members and what they earned, added up: without knowing how many there are, PostgreSQL would compare each with each in a join.
 */
const MERGED = sql`(
  select user_id, max(number) number, max(seat) seat, max(after_seq) after_seq, max(since) since, coalesce(max(points), 0) points,
    max(reached_at) reached_at, max(last_seq) last_seq, max(later_seq) later_seq, coalesce(max(later), 0) later
  from (select user_id, number, seat, after_seq, since, null points, null reached_at, null last_seq, null later_seq, null later from chosen
    union all select user_id, null, null, null, null, points, reached_at, last_seq, later_seq, later from sums) parts
  group by user_id)`

const selectMembers = prepared((reader: Reader, within: Within, counting: Counting) => {
  const { divisionMembers: members } = reader.tables
  const { divisionId, startsAt, level, first, last } = within
  const earned = sumEarned(reader, { startsAt, ...counting, uncounted: OF_RESULT })
  const [records, sums] = [sql`(${recordsOf(reader, sql`chosen`)})`, sql`(${earned.sums})`]
  const numberOrNull = (value: unknown) => (value === null ? null : Number(value))
  const shown = reader
    .$with('shown', {
      userId: members.userId,
      number: members.number,
      seat: members.seat,
      afterSeq: members.afterSeq,
      since: members.since,
      points: sql<number>`points`.mapWith(Number).as('points'),
      reachedAt: sql<Date | null>`reached_at`.mapWith(earned.at).as('reached_at'),
      lastSeq: sql<number | null>`last_seq`.mapWith(numberOrNull).as('last_seq'),
      laterSeq: sql<number | null>`later_seq`.mapWith(numberOrNull).as('later_seq'),
      later: sql<number>`later`.mapWith(Number).as('later'),
      isEnrolled: sql<boolean>`is_enrolled`.mapWith(Boolean).as('is_enrolled'),
    })
    .as(
      sql`with chosen as (select ${members.userId}, ${members.number}, ${members.seat}, ${members.afterSeq}, ${members.since} from ${members}
          where ${members.divisionId} = ${divisionId} and ${members.startsAt} = ${startsAt} and ${members.level} = ${level}
          and ${members.number} between ${first} and ${last}),
        records as ${records}, sums as ${sums}, merged as ${MERGED}
        select merged.*, ${takesPartNow(reader, sql`merged.user_id`)} is_enrolled from merged`,
    )
  return reader.with(shown).select().from(shown)
})
