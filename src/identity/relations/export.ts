import { and, asc, eq, isNotNull, or } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { readPrivacy } from './privacy.ts'

/** Whom the fan follows, mutes and blocks; who follows them; and what they show. Who has blocked or muted them is not theirs to know. */
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
