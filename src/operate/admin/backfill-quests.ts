/**
 * Counts past events for a quest, each at most once, and completes periods that are then full, at most once. Skips erased
 * fans. Completions get the time of the correction.
 */
import { and, asc, eq, gte, inArray, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { isWithin } from '../../club/catalogue/availability.ts'
import { toRecordedEvent } from '../../economy/events/event.ts'
import { openRecording } from '../../economy/events/recording.ts'
import { questReader } from '../../play/quests/event-reader.ts'
import { needsData } from '../../play/quests/match-step.ts'
import { periodAt } from '../../play/quests/periods.ts'
import { eventTypesOf, type Quest, versionOf } from '../../play/quests/quest.ts'
import { findProgress } from '../../play/quests/rows.ts'

export interface Counted {
  /** Events that were counted, or would be. */
  events: number
  /** Periods that were completed. */
  completed: number
  /** Events whose data retention has deleted: whether they meet the conditions is unknown. */
  unknown: number
}

/** Fans who have events since an instant, of a type that the quest counts, by id. */
export async function* listFansWithEvents(reader: Reader, quest: Quest, since: Date): AsyncGenerator<string> {
  const { events, users } = reader.tables
  const rows = eachRow({ userId: users.id }, after =>
    reader
      .select({ userId: users.id })
      .from(events)
      .innerJoin(users, eq(users.id, events.userId))
      .where(
        and(
          inArray(events.type, [...eventTypesOf(quest)]),
          gte(events.occurredAt, since),
          isNull(events.voidedAt),
          isNull(users.erasedAt),
          after,
        ),
      )
      .groupBy(users.id),
  )
  for await (const { userId } of rows) yield userId
}

/** The quest must be active, since an inactive quest completes nothing. */
export async function backfillFan(
  tx: Transaction,
  quest: Quest,
  { userId, since }: { userId: string; since: Date },
): Promise<Counted> {
  const recording = await openRecording(tx, [userId])
  const quests = recording.reactionOf(questReader)
  const report: Counted = { events: 0, completed: 0, unknown: 0 }
  for await (const { event, isUnknown } of eachEvent(tx, quest, { userId, since })) {
    if (isUnknown) report.unknown++
    else if (await quests.countOnce(quest, event)) report.events++
  }
  // Checks all periods: a requirement may have been removed since they were full.
  report.completed = await quests.updateQuest({ userId, questId: quest.id })
  await recording.write()
  return report
}

/**
 * A fan's events that the quest may count, in the order of their recording, with the progress in the period of each.
 */
async function* eachEvent(reader: Reader, quest: Quest, { userId, since }: { userId: string; since: Date }) {
  const { events } = reader.tables
  const rows = await reader
    .select()
    .from(events)
    .where(
      and(
        eq(events.userId, userId),
        inArray(events.type, [...eventTypesOf(quest)]),
        gte(events.occurredAt, since),
        isNull(events.voidedAt),
      ),
    )
    .orderBy(asc(events.sequence))
  for (const stored of rows) {
    const event = toRecordedEvent(stored)
    if (!event || !isWithin(quest, event.occurredAt)) continue
    const period = periodAt(quest.current, event.occurredAt).key
    const row = await findProgress(reader, { userId, questId: quest.id, period })
    const { steps } = row ? versionOf(quest, row.version) : quest.current
    const mayMatch = steps.filter(({ eventType }) => eventType === event.type)
    const isUnknown = stored.data === null && mayMatch.some(needsData)
    yield { event, isUnknown }
  }
}
