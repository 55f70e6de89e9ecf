import { and, asc, eq, isNotNull, or } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { readPrivacy } from './privacy.ts'

/** The follows, mutes and blocks of a fan, their followers, and their privacy. Fans who blocked or muted them are never exported. */
export async function exportRelations(reader: Reader, userId: string) {
  const { fanRelations: relations } = reader.tables
  const { fanId, otherId, followedAt, mutedAt, blockedAt } = relations
  const own = await reader
    .select({ fanId: otherId, followedAt, mutedAt, blockedAt })
    .from(relations)
    .where(and(eq(fanId, userId), or(isNotNull(followedAt), isNotNull(mutedAt), isNotNull(blockedAt))))
    .orderBy(asc(otherId))
  const followers = await reader
    .select({ fanId, followedAt })
    .from(relations)
    .where(and(eq(otherId, userId), isNotNull(followedAt)))
    .orderBy(asc(fanId))
  return { relations: own, followers, privacy: await readPrivacy(reader, { userId }) }
}
