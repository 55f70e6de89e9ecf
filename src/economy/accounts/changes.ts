/** What has been booked in an account since an earlier time. */
import { and, count, eq, exists, gt, inArray, lte, notInArray, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { CARRYING_REASONS, GRANT_REASONS, voidReasonOf } from '../ledgers/reasons.ts'

export interface Since {
  accountId: string
  asOf: Date
}

/** Entries that were booked since then for an earlier time: added, or taking back others. Those of merges are left out. */
export async function countLateEntries(reader: Reader, { accountId, asOf }: Since) {
  const { accountEntries: entries, fanAccounts } = reader.tables
  const changed = reader
    .select({ userId: fanAccounts.userId })
    .from(fanAccounts)
    .where(and(eq(fanAccounts.accountId, accountId), gt(fanAccounts.updatedAt, asOf)))
  const isVoid = inArray(entries.reason, GRANT_REASONS.map(voidReasonOf))
  const [found] = await reader
    .select({ all: count(), takenBack: sql<number>`count(case when ${isVoid} then 1 end)`.mapWith(Number) })
    .from(entries)
    .where(
      and(
        inArray(entries.userId, changed),
        eq(entries.accountId, accountId),
        gt(entries.createdAt, asOf),
        lte(entries.countedAt, asOf),
        notInArray(entries.reason, [...CARRYING_REASONS, 'merged']),
      ),
    )
  const { all = 0, takenBack = 0 } = found ?? {}
  return { added: all - takenBack, takenBack }
}

/** SQL: whether a fan had entries by then. */
export function hadEntries(reader: Reader, userId: SQL, { accountId, asOf }: Since): SQL {
  const { accountEntries: entries } = reader.tables
  const isTheirs = and(sql`${entries.userId} = ${userId}`, eq(entries.accountId, accountId))
  const found = reader.select({ id: entries.id }).from(entries)
  return exists(found.where(and(isTheirs, lte(entries.createdAt, asOf))))
}
