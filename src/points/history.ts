/** A fan's points, newest first. */
import { and, desc, eq, lt } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import type { Caller } from '../caller.ts'
import { findUser } from '../identity/users.ts'
import { type Cursors, cutPage, type Page } from '../pagination.ts'

/** @throws DomainError `invalid_cursor` */
export async function readHistory(reader: Reader, cursors: Cursors, caller: Caller, page: Page) {
  const { pointsAccounts, pointsEntries } = reader.tables
  const user = await findUser(reader, caller)
  // The list's name holds the fan: a cursor of somebody else opens nothing.
  const list = `points ${user?.id}`
  const before = page.cursor === undefined ? undefined : Number(cursors.open(list, page.cursor))
  if (!user) return { balance: 0, lifetime: 0, entries: [], nextCursor: null }

  // One statement, and so one snapshot: the balance is the one that the newest entry left.
  const rows = await reader
    .select({ account: pointsAccounts, entry: pointsEntries })
    .from(pointsAccounts)
    .leftJoin(
      pointsEntries,
      and(
        eq(pointsEntries.userId, pointsAccounts.userId),
        before === undefined ? undefined : lt(pointsEntries.seq, before),
      ),
    )
    .where(eq(pointsAccounts.userId, user.id))
    .orderBy(desc(pointsEntries.seq))
    .limit(page.limit + 1)
  const found = rows.flatMap(({ entry }) => (entry ? [entry] : []))
  const { page: entries, nextCursor } = cutPage(found, page.limit, last => cursors.seal(list, last.seq))
  return {
    balance: rows[0]?.account.balance ?? 0,
    lifetime: rows[0]?.account.lifetime ?? 0,
    entries: entries.map(({ userId: _, createdAt, ...entry }) => ({
      ...entry,
      createdAt: createdAt.toISOString(),
    })),
    nextCursor,
  }
}
