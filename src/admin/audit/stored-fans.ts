/** Fans as the points and leaderboard tables hold them, for checks: range by range of their ids, and one by one. */
import { and, asc, type Column, eq, gt, inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { EntryRow, StoredFan } from './audit-fan.ts'

/** Fans, and entries, that are in memory at once. */
const RANGE_FANS = 500
const PAGE_ENTRIES = 2_000

/** Ids from `after`, and not `after` itself, up to `upTo`, where null has no end; or one fan's. */
export type Range = { after: string | null; upTo: string | null } | { only: string }

/** Cuts all ids there can be into ranges that hold about as many fans each: rows of a fan who is gone are in one, too. */
export async function* readRanges(reader: Reader): AsyncGenerator<{ range: Range; userIds: string[] }> {
  const { users } = reader.tables
  for (let after: string | null = null; ; ) {
    const rows: { id: string }[] = await reader
      .select({ id: users.id })
      .from(users)
      .where(after === null ? undefined : gt(users.id, after))
      .orderBy(asc(users.id))
      .limit(RANGE_FANS)
    const last = rows.at(-1)
    const upTo: string | null = last && rows.length === RANGE_FANS ? last.id : null
    yield { range: { after, upTo }, userIds: rows.map(({ id }) => id) }
    if (upTo === null) return
    after = upTo
  }
}

/** Entries of a range by fan and `seq`, page by page. */
export async function* readEntriesOf(reader: Reader, range: Range): AsyncGenerator<EntryRow[]> {
  const { pointsEntries: entries } = reader.tables
  let last: EntryRow | undefined
  do {
    const beyond = last && sql`(${entries.userId}, ${entries.seq}) > (${last.userId}, ${last.seq})`
    const page: EntryRow[] = await reader
      .select()
      .from(entries)
      .where(and(inRange(entries.userId, range), beyond))
      .orderBy(asc(entries.userId), asc(entries.seq))
      .limit(PAGE_ENTRIES)
    yield page
    last = page.length === PAGE_ENTRIES ? page.at(-1) : undefined
  } while (last)
}

/** Accounts, enrolments and places of a range. `boards`: all that there are; no index leads from a fan to theirs. */
export async function readStored(
  reader: Reader,
  range: Range,
  userIds: string[],
  boards: string[],
): Promise<Map<string, StoredFan>> {
  const { pointsAccounts, leaderboardEntries, leaderboardScores: scores } = reader.tables
  const [accounts, enrolments, places] = await Promise.all([
    reader.select().from(pointsAccounts).where(inRange(pointsAccounts.userId, range)),
    reader.select().from(leaderboardEntries).where(inRange(leaderboardEntries.userId, range)),
    boards.length === 0
      ? []
      : reader
          .select()
          .from(scores)
          .where(and(inArray(scores.board, boards), inRange(scores.userId, range))),
  ])
  const fans = new Map<string, StoredFan>()
  const of = (userId: string) => {
    const fan = fans.get(userId) ?? { known: false, account: undefined, enrolment: undefined, places: [] }
    fans.set(userId, fan)
    return fan
  }
  for (const userId of userIds) of(userId).known = true
  for (const account of accounts) of(account.userId).account = account
  for (const enrolment of enrolments) of(enrolment.userId).enrolment = enrolment
  for (const { userId, board, minusPoints, reachedAt } of places) {
    of(userId).places.push({ board, points: minusPoints === 0 ? 0 : -minusPoints, reachedAt })
  }
  return fans
}

function inRange(column: Column, range: Range): SQL | undefined {
  if ('only' in range) return eq(column, range.only)
  const { after, upTo } = range
  return and(after === null ? undefined : gt(column, after), upTo === null ? undefined : lte(column, upTo))
}
