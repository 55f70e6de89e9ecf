import { asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

/** The matches at which a fan checked in. */
export function exportCheckIns(reader: Reader, userId: string) {
  const { checkIns } = reader.tables
  return reader
    .select({ matchId: checkIns.matchId, checkedInAt: checkIns.checkedInAt })
    .from(checkIns)
    .where(eq(checkIns.userId, userId))
    .orderBy(asc(checkIns.checkedInAt), asc(checkIns.matchId))
}
