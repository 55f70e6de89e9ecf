/** Totals of windows, from the entries: one statement for any number of fans of an account. */
import { and, type Column, eq, gte, inArray, lt, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { GRANT_REASONS, voidReasonOf } from '../ledgers/reasons.ts'
import { type Account, type AccountSet, pastWindowAt } from './account-set.ts'
import type { PastTotal } from './tiers.ts'

export interface WindowTotal {
  total: number
  /** When the fan earned last of what remains. Null without such an entry. */
  reachedAt: Date | null
}

interface Scope {
  accountId: string
  /** Since when entries count; null: all. */
  from: Date | null
  /** Until when they count. Default: all since. */
  before?: Date | undefined
  /** Entries booked by then. Default: all. */
  asOf?: Date | undefined
}

/** By user id; none for a fan without entries in the window. The index has what it reads. */
export async function sumEntries(
  reader: Reader,
  scope: Scope,
  userIds: string[],
): Promise<Map<string, number>> {
  if (userIds.length === 0) return new Map()
  const { userId, delta } = reader.tables.accountEntries
  const rows = await reader
    .select({ userId, total: sql<number>`cast(sum(${delta}) as bigint)`.mapWith(Number) })
    .from(reader.tables.accountEntries)
    .where(isIn(reader, scope, userIds))
    .groupBy(userId)
  return new Map(rows.map(({ userId, total }) => [userId, total]))
}

/** As `sumEntries`, with the time when each fan reached it. */
export async function readTotals(
  reader: Reader,
  scope: Scope,
  userIds: string[],
): Promise<Map<string, WindowTotal>> {
  if (userIds.length === 0) return new Map()
  const rows = await totalsOf(reader, scope, userIds)
  return new Map(rows.map(({ userId, total, reachedAt }) => [userId, { total, reachedAt }]))
}

/** What fans had at the end of the last season. */
export async function readPastTotals(reader: Reader, set: AccountSet, account: Account, userIds: string[]) {
  const window = pastWindowAt(account, set, reader.now())
  const totals = window && (await sumEntries(reader, { accountId: account.id, ...window }, userIds))
  return (userId: string): PastTotal | null => {
    const total = totals?.get(userId) ?? 0
    return window && { endedAt: window.before, total, before: total }
  }
}

/**
 * A query for the totals of all fans with entries, or of these. What remains of a cause is the sum of its entry and of what takes it back,
 * which count at the same time. To join each entry with what takes it back can take the square of a fan's entries: PostgreSQL keeps plans
 * for fans with one.
 */
export function totalsOf(reader: Reader, scope: Scope, among?: string[] | SQLWrapper) {
  const { accountEntries: entries } = reader.tables
  const { userId, ref, createdAt, delta } = entries
  const causes = reader
    .select({
      userId,
      remaining: sql<number>`sum(${delta})`.as('remaining'),
      at: sql<Date>`min(${createdAt})`.as('at'),
    })
    .from(entries)
    .where(isIn(reader, scope, among))
    .groupBy(userId, grantedReason(entries.reason), ref)
    .as('causes')
  return reader
    .select({
      userId: causes.userId,
      total: sql<number>`cast(sum(${causes.remaining}) as bigint)`.mapWith(Number).as('total'),
      reachedAt: sql<Date | null>`max(case when ${causes.remaining} > 0 then ${causes.at} end)`
        .mapWith(createdAt)
        .as('reached_at'),
    })
    .from(causes)
    .groupBy(causes.userId)
}

function isIn(reader: Reader, { accountId, from, before, asOf }: Scope, among?: string[] | SQLWrapper) {
  const { accountEntries: entries } = reader.tables
  return and(
    eq(entries.accountId, accountId),
    from ? gte(entries.countedAt, from) : undefined,
    before && lt(entries.countedAt, before),
    asOf && lte(entries.createdAt, asOf),
    among && inArray(entries.userId, among),
  )
}

/** SQL: the reason of the grant, also of what takes it back. */
function grantedReason(reason: Column): SQL {
  const cases = GRANT_REASONS.map(granted => sql.raw(`when '${voidReasonOf(granted)}' then '${granted}'`))
  return sql`case ${reason} ${sql.join(cases, sql` `)} else ${reason} end`
}
