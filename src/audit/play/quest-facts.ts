/** What the tables say about the quests of one fan, for checks. */
import { and, asc, eq, isNotNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { QuestFacts } from '../../play/quests/audit/facts.ts'

export async function readQuestFacts(reader: Reader, userId: string): Promise<QuestFacts> {
  const {
    questProgress,
    questCounts,
    questStreaks,
    pointsEntries,
    accountEntries,
    userItems,
    events,
    fanMerges,
  } = reader.tables
  const { completionId } = questProgress
  const [progress, counted, streaks, entries, kept, items, recorded, merges] = await Promise.all([
    reader
      .select({ row: questProgress, completionEvent: events })
      .from(questProgress)
      .leftJoin(
        events,
        and(
          eq(events.source, 'matchday'),
          eq(events.eventId, completionId),
          eq(events.userId, questProgress.userId),
        ),
      )
      .where(eq(questProgress.userId, userId))
      .orderBy(asc(questProgress.questId), asc(questProgress.endsAt)),
    reader.select().from(questCounts).where(eq(questCounts.userId, userId)),
    reader.select().from(questStreaks).where(eq(questStreaks.userId, userId)),
    reader
      .select({ ref: pointsEntries.ref, delta: pointsEntries.delta, createdAt: pointsEntries.createdAt })
      .from(pointsEntries)
      .where(and(eq(pointsEntries.userId, userId), eq(pointsEntries.reason, 'quest'))),
    reader
      .select({ ref: accountEntries.ref, delta: accountEntries.delta, createdAt: accountEntries.createdAt })
      .from(accountEntries)
      .where(and(eq(accountEntries.userId, userId), eq(accountEntries.reason, 'quest'))),
    reader
      .select({ givenFor: userItems.givenFor, collectibleId: userItems.collectibleId })
      .from(userItems)
      .where(and(eq(userItems.userId, userId), isNotNull(userItems.givenFor))),
    reader.select().from(events).where(eq(events.userId, userId)).orderBy(asc(events.sequence)),
    reader.select({ fromId: fanMerges.fromId }).from(fanMerges).where(eq(fanMerges.intoId, userId)),
  ])
  const all = [...entries, ...kept]
  return { userId, now: reader.now(), progress, counted, streaks, entries: all, items, recorded, merges }
}
