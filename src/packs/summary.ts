/** SQL for the number of packs of a fan, as a part of a larger statement. */
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
