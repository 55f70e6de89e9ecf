/** Rows whose user is gone. Foreign keys leave none; a file that was written without them, or a server's replica role, may. */
import { eq, getTableName, isNull, sql } from 'drizzle-orm'
import type { Reader } from './types.ts'

export interface Orphans {
  table: string
  rows: number
  /** A few of the ids that no user has. */
  userIds: string[]
}

const EXAMPLES = 5

/** In all tables but those that somebody goes through anyway. */
export async function findOrphans(reader: Reader, except: string[] = []): Promise<Orphans[]> {
  const { users, ...tables } = reader.tables
  const found: Orphans[] = []
  for (const table of Object.values(tables)) {
    if (!('userId' in table) || except.includes(getTableName(table))) continue
    const { userId } = table
    const orphans = await reader
      .select({ userId, rows: sql`count(*)`.mapWith(Number) })
      .from(table)
      .leftJoin(users, eq(users.id, userId))
      .where(isNull(users.id))
      .groupBy(userId)
      .orderBy(userId)
    if (orphans.length === 0) continue
    const rows = orphans.reduce((sum, orphan) => sum + orphan.rows, 0)
    const userIds = orphans.slice(0, EXAMPLES).map(orphan => orphan.userId)
    found.push({ table: getTableName(table), rows, userIds })
  }
  return found
}
