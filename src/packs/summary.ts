/** How many packs a fan has: SQL for a statement that reads more of the fan. */
import { and, count, eq, isNull } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'

/** Revoked packs are not counted. */
export function packCounts(reader: Reader, userId: string) {
  const { userPacks } = reader.tables
  return reader
    .select({ all: count().as('packs'), opened: count(userPacks.openedAt).as('opened') })
    .from(userPacks)
    .where(and(eq(userPacks.userId, userId), isNull(userPacks.revokedAt)))
    .as('packs')
}
