/** Totals of windows, from the entries: one statement for any number of fans of an account. */
import { aliasedTable, and, eq, gte, inArray, lt, lte, type SQLWrapper, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
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

/** By user id; none for a fan without entries in the window. */
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
  const totals = window && (await readTotals(reader, { accountId: account.id, ...window }, userIds))
  return (userId: string): PastTotal | null => {
    const { total = 0 } = totals?.get(userId) ?? {}
    return window && { endedAt: window.before, total, before: total }
  }
}

/** A query for the totals of all fans with entries, or of these. */
export function totalsOf(
  reader: Reader,
  { accountId, from, before, asOf }: Scope,
  among?: string[] | SQLWrapper,
) {
  const { accountEntries: entries } = reader.tables
  const taken = aliasedTable(entries, 'taken')
  const isTaken = and(
    eq(taken.userId, entries.userId),
    sql`${taken.reason} = ${entries.reason} || '_void'`,
    eq(taken.ref, entries.ref),
    asOf && lte(taken.createdAt, asOf),
  )
  return reader
    .select({
      userId: entries.userId,
      total: sql<number>`cast(sum(${entries.delta}) as bigint)`.mapWith(Number).as('total'),
      reachedAt:
        sql<Date | null>`max(case when ${entries.delta} + coalesce(${taken.delta}, 0) > 0 then ${entries.createdAt} end)`
          .mapWith(entries.createdAt)
          .as('reached_at'),
    })
    .from(entries)
    .leftJoin(taken, isTaken)
    .where(
      and(
        eq(entries.accountId, accountId),
        from ? gte(entries.countedAt, from) : undefined,
        before && lt(entries.countedAt, before),
        asOf && lte(entries.createdAt, asOf),
        among && inArray(entries.userId, among),
      ),
    )
    .groupBy(entries.userId)
}
