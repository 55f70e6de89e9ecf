import { and, eq, lte } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { exportGrants } from './grants.ts'

/** A fan's points, oldest entry first: exactly the entries that make up the exported balance, also during concurrent bookings. */
export async function exportPoints(reader: Reader, userId: string) {
  const { pointsAccounts, pointsEntries } = reader.tables
  const [account] = await reader.select().from(pointsAccounts).where(eq(pointsAccounts.userId, userId))
  const upTo = account?.seq ?? 0
  const entries = eachRow({ seq: pointsEntries.seq }, after =>
    reader
      .select()
      .from(pointsEntries)
      .where(and(eq(pointsEntries.userId, userId), lte(pointsEntries.seq, upTo), after)),
  )
  return {
    balance: account?.balance ?? 0,
    lifetime: account?.lifetime ?? 0,
    entries,
    grants: await exportGrants(reader, userId),
  }
}
