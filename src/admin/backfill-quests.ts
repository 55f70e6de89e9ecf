/**
 * Counts past events for a quest, each at most once, and completes what is full then, at most once. Fans who were erased are
 * skipped. Completions get the time of the correction.
 */
import { and, asc, eq, gte, inArray, isNotNull, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { eachRow } from '../../db/keyset.ts'
import { countRows } from '../../db/pages.ts'
import { isWithin } from '../catalogue/availability.ts'
import { toRecordedEvent } from '../events/event.ts'
import { lockAccount } from '../points/ledger.ts'
import { countEvent, matchStep, needsData } from '../quests/count-event.ts'
import { eventTypesOf, type Quest, type QuestSet, versionOf } from '../quests/definition.ts'
import { periodAt } from '../quests/periods.ts'
import { findProgress, isOfQuest, selectUnclaimed } from '../quests/rows.ts'
import { updateCompletion } from '../quests/update-completion.ts'

export interface Counted {
  /** Events that were counted, or would be. */
  events: number
  /** Periods that were completed. */
  completed: number
  /** Events whose data retention has deleted: whether they meet the conditions is unknown. */
  unknown: number
}

/** Fans with events since an instant of a type that the quest counts, by id. */
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

export async function backfillFan(
  tx: Transaction,
  set: QuestSet,
  quest: Quest,
  { userId, since }: { userId: string; since: Date },
): Promise<Counted> {
  const { id: questId } = quest
  await lockAccount(tx, userId)
  const before = await countCompleted(tx, userId, questId)
  const report: Counted = { events: 0, completed: 0, unknown: 0 }
  for await (const { event, row, isUnknown } of eachEvent(tx, quest, { userId, since })) {
    if (isUnknown) report.unknown++
    else if (await countEvent(tx, quest, event, row)) report.events++
  }
  // All of them: a requirement may have been dropped since they were full.
  for (const { period } of await selectUnclaimed(tx, { userId, questId }))
    await updateCompletion(tx, set, { userId, questId, period })
  report.completed = (await countCompleted(tx, userId, questId)) - before
  return report
}

/** What `backfillFan` would count. */
export async function planBackfill(
  reader: Reader,
  quest: Quest,
  { userId, since }: { userId: string; since: Date },
): Promise<Counted> {
  const { questCounts } = reader.tables
  const counted = await reader
    .select()
    .from(questCounts)
    .where(isOfQuest(questCounts, { userId, questId: quest.id }))
  const known = new Set(counted.map(({ stepId, source, eventId }) => `${stepId} ${source} ${eventId}`))
  const report: Counted = { events: 0, completed: 0, unknown: 0 }
  for await (const { event, row, steps, isUnknown } of eachEvent(reader, quest, { userId, since })) {
    if (row?.claimedAt) continue
    const matching = steps.filter(step => matchStep(step, event) !== undefined)
    if (isUnknown) report.unknown++
    else if (matching.some(({ id }) => !known.has(`${id} ${event.source} ${event.eventId}`))) report.events++
  }
  return report
}

/**
 * A fan's events that the quest may count, in the order of their recording, with the progress in the period of each, and the
 * steps by which it counts.
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
    yield { event, row, steps, isUnknown }
  }
}

function countCompleted(reader: Reader, userId: string, questId: string): Promise<number> {
  const { questProgress: row } = reader.tables
  return countRows(reader, row, and(isOfQuest(row, { userId, questId }), isNotNull(row.completedAt)))
}
