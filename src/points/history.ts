/** A fan's points, newest first. */
import { and, desc, eq, lt } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import type { Caller } from '../caller.ts'
import { findUser } from '../identity/users.ts'
import { type Cursors, cutPage } from '../pagination.ts'
import { readBalance } from './ledger.ts'

export interface HistoryPage {
  limit: number
  cursor?: string
}

/** @throws DomainError `invalid_cursor` */
export async function readHistory(reader: Reader, cursors: Cursors, caller: Caller, page: HistoryPage) {
  const { pointsEntries } = reader.tables
  const user = await findUser(reader, caller)
  // The list's name holds the fan: a cursor of somebody else opens nothing.
  const list = `points ${user?.id}`
  const before = page.cursor === undefined ? undefined : Number(cursors.open(list, page.cursor))
  if (!user) return { balance: 0, lifetime: 0, entries: [], nextCursor: null }

  const rows = await reader
    .select()
    .from(pointsEntries)
    .where(
      and(
        eq(pointsEntries.userId, user.id),
        before === undefined ? undefined : lt(pointsEntries.seq, before),
      ),
    )
    .orderBy(desc(pointsEntries.seq))
    .limit(page.limit + 1)
  const { page: entries, nextCursor } = cutPage(rows, page.limit, last => cursors.seal(list, last.seq))
  return {
    ...(await readBalance(reader, user.id)),
    entries: entries.map(({ userId: _, createdAt, ...entry }) => ({
      ...entry,
      createdAt: createdAt.toISOString(),
    })),
    nextCursor,
  }
}
