/** Compares the tables of divisions with their periods and levels, and where counting begins with the ledger. */
import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { differs, type Finding } from '../../core/finding.ts'
import { finalAfter } from '../../economy/points/earned-between.ts'
import { type Period, periodOf } from '../../play/divisions/periods.ts'

const nameOf = ({ divisionId, startsAt }: Pick<Period, 'divisionId' | 'startsAt'>) =>
  `${divisionId} from ${startsAt.toISOString()}`

/** Needs a snapshot: seats and their numbers are written together. */
export async function findWrongSeats(reader: Reader): Promise<Finding[]> {
  const { divisionPeriods, divisionLevels, divisionMembers: members } = reader.tables
  const rows = await reader
    .select()
    .from(divisionPeriods)
    .orderBy(divisionPeriods.divisionId, divisionPeriods.startsAt)
  const periods = new Map(rows.map(row => [nameOf(row), periodOf(row)]))
  const levels = await reader.select().from(divisionLevels)
  const levelOf = new Map(levels.map(row => [`${nameOf(row)} ${row.level}`, row]))
  const { divisionId, startsAt, level, number, seat } = members
  const tables = await reader
    .select({
      divisionId,
      startsAt,
      level,
      first: sql<number>`min(${number})`.mapWith(Number),
      seat: sql<number>`max(${seat})`.mapWith(Number),
      // Seats have three digits at most.
      last: sql<number>`max(${number} * 1000 + ${seat})`.mapWith(Number),
    })
    .from(members)
    .groupBy(divisionId, startsAt, level)
  const findings = rows.flatMap((row, index) => {
    const before = rows[index - 1]
    const overlaps = before?.divisionId === row.divisionId && before.endsAt > row.startsAt
    return differs(null, `division_periods.starts_at of ${nameOf(row)}`, false, overlaps)
  })
  for (const { placed, closed, level, ...key } of levels) {
    const period = periods.get(nameOf(key))
    const what = (column: string) => `division_levels.${column} of ${nameOf(key)}, level ${level}`
    findings.push(...differs(null, what('level'), true, period?.levels[level] !== undefined))
    if (!period) continue
    const count = Math.ceil(placed / period.size)
    if (period.closedAt ? closed !== count : closed > count)
      findings.push(...differs(null, what('closed'), count, closed))
  }
  for (const { first, last, seat, level, ...key } of tables) {
    const [period, row] = [periods.get(nameOf(key)), levelOf.get(`${nameOf(key)} ${level}`)]
    const what = (column: string) => `division_members.${column} of ${nameOf(key)}, level ${level}`
    if (!period || !row) {
      findings.push(...differs(null, what('starts_at'), true, false))
      continue
    }
    findings.push(...differs(null, what('seat'), true, seat <= period.size))
    // Members of a closed table are in one of the next period.
    findings.push(...differs(null, what('number'), true, !period.closedAt && first > row.closed))
    const position = (Math.floor(last / 1000) - 1) * period.size + (last % 1000)
    if (position > row.placed)
      findings.push(
        ...differs(null, `division_levels.placed of ${nameOf(key)}, level ${level}`, position, row.placed),
      )
  }
  return findings
}

/** No entry that counts comes before those of the member. Clocks of processes may differ by less than a minute. */
export async function findUncounted(reader: Reader, range: Range): Promise<Finding[]> {
  const { divisionMembers: members, pointsAccounts: accounts, pointsEntries: entries } = reader.tables
  const { userId, divisionId, startsAt, afterSeq, since } = members
  const rows = await reader
    .select({
      userId,
      divisionId,
      startsAt,
      afterSeq,
      since,
      seq: accounts.seq,
      lastAt: sql<Date | null>`max(${entries.createdAt})`.mapWith(entries.createdAt),
    })
    .from(members)
    .leftJoin(accounts, eq(accounts.userId, userId))
    .leftJoin(entries, and(eq(entries.userId, userId), lte(entries.seq, afterSeq), gt(entries.delta, 0)))
    .where(inRange(userId, range))
    .groupBy(userId, divisionId, startsAt, afterSeq, since, accounts.seq)
  return rows.flatMap(({ userId, divisionId, startsAt, afterSeq, since, seq, lastAt }) => {
    const isKnown = afterSeq <= (seq ?? 0)
    const skips =
      lastAt !== null && lastAt >= finalAfter(new Date(Math.max(since.getTime(), startsAt.getTime())))
    return differs(userId, `division_members.after_seq of ${divisionId}`, true, isKnown && !skips)
  })
}
