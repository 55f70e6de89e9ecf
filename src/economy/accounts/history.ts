/** What a fan has in accounts: totals by season, and entries. */
import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import type { AccountSet } from './account-set.ts'
import type { AccountKey } from './book.ts'

/** By account, newest first. One statement. */
export async function readSeasonTotals(reader: Reader, set: AccountSet, userId: string) {
  const { accountEntries: entries } = reader.tables
  // The number of the season: how many have ended before the entry.
  const ended = set.seasons.map(
    ({ endsAt }) =>
      sql`(case when ${entries.countedAt} >= ${sql.param(endsAt, entries.countedAt)} then 1 else 0 end)`,
  )
  const number = ended.length === 0 ? sql`0` : sql.join(ended, sql` + `)
  const counted = reader
    .select({
      accountId: entries.accountId,
      delta: entries.delta,
      season: sql<number>`${number}`.mapWith(Number).as('season'),
    })
    .from(entries)
    .where(eq(entries.userId, userId))
    .as('counted')
  const rows = await reader
    .select({
      accountId: counted.accountId,
      season: counted.season,
      total: sql<number>`cast(sum(${counted.delta}) as bigint)`.mapWith(Number),
    })
    .from(counted)
    .groupBy(counted.accountId, counted.season)
    .orderBy(desc(counted.season))
  return new Map(
    [...Map.groupBy(rows, ({ accountId }) => accountId)].map(([accountId, totals]) => [
      accountId,
      totals.map(({ season, total }) => ({ seasonId: set.seasons[season]?.id ?? null, total })),
    ]),
  )
}

/** Newest first. `before`: the `seq` of the entry after them. */
export function readAccountEntries(
  reader: Reader,
  { userId, accountId }: AccountKey,
  { before, limit }: { before: string | undefined; limit: number },
) {
  const { accountEntries: entries } = reader.tables
  const isBefore = before === undefined ? undefined : lt(entries.seq, Number(before))
  return reader
    .select()
    .from(entries)
    .where(and(eq(entries.userId, userId), eq(entries.accountId, accountId), isBefore))
    .orderBy(desc(entries.seq))
    .limit(limit)
}

export const findAccountEntry = preparedRow((reader: Reader, id: string) => {
  const { accountEntries } = reader.tables
  return reader.select().from(accountEntries).where(eq(accountEntries.id, id))
})
