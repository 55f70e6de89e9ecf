/** Deletes the relations between a fan and others, and the fan's privacy settings. */
import { and, eq, inArray, isNotNull, or, sql } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'

/** No follow of the fan begins or ends meanwhile: both fans of a pair are locked first, and this one is being erased. */
export async function deleteRelations(tx: Transaction, userId: string): Promise<void> {
  const { fanRelations: relations, followCounts: counts, privacySettings: settings } = tx.tables
  const followers = tx
    .select({ fanId: relations.fanId })
    .from(relations)
    .where(and(eq(relations.otherId, userId), isNotNull(relations.followedAt)))
  await tx
    .update(counts)
    .set({ following: sql`${counts.following} - 1` })
    .where(and(inArray(counts.userId, followers), sql`${counts.following} > 0`))
  await tx.delete(relations).where(or(eq(relations.fanId, userId), eq(relations.otherId, userId)))
  await tx.delete(counts).where(eq(counts.userId, userId))
  await tx.delete(settings).where(eq(settings.userId, userId))
}
