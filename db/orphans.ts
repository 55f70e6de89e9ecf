/**
 * Rows whose user does not exist. Foreign keys prevent them, except in a file or under a role with foreign keys disabled.
 */
import { and, eq, getTableName, isNotNull, isNull, sql } from 'drizzle-orm'
import { type AnyTable, shapeOf } from './schema/shape.ts'
import type { Reader } from './types.ts'

export interface Orphans {
  table: string
  rows: number
  /** Up to five of the missing ids. */
  userIds: string[]
}

const EXAMPLES = 5

/** In all tables except `except`. */
export async function findOrphans(reader: Reader, except: string[] = []): Promise<Orphans[]> {
  const { users, ...tables } = reader.tables
  const found: Orphans[] = []
  for (const table of Object.values(tables)) {
    if (!('userId' in table) || except.includes(getTableName(table)) || !mustHaveUser(table)) continue
    const { userId } = table
    const orphans = await reader
      .select({ userId, rows: sql`count(*)`.mapWith(Number) })
      .from(table)
      .leftJoin(users, eq(users.id, userId))
      .where(and(isNotNull(userId), isNull(users.id)))
      .groupBy(userId)
      .orderBy(userId)
    if (orphans.length === 0) continue
    const rows = orphans.reduce((sum, orphan) => sum + orphan.rows, 0)
    const userIds = orphans.slice(0, EXAMPLES).flatMap(orphan => orphan.userId ?? [])
    found.push({ table: getTableName(table), rows, userIds })
  }
  return found
}

/** In other tables the column may contain another id, such as a match. */
const mustHaveUser = (table: AnyTable) =>
  shapeOf(table).references.some(({ parent, from }) => parent === 'users' && from.includes('userId'))
