/**
 * Counts past events for a quest, each at most once, and completes what is full then, at most once. Fans who were erased are
 * skipped. Completions get the time of the correction.
 */
import { and, asc, eq, gte, inArray, isNotNull, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { eachRow } from '../../db/keyset.ts'
import { countRows } from '../../db/pages.ts'
import type { EventRow } from '../events/event.ts'
import { lockAccount } from '../points/ledger.ts'
import { countEvent, matchStep } from '../quests/count-event.ts'
import { type Quest, type QuestSet, versionOf } from '../quests/definition.ts'
import { periodAt } from '../quests/periods.ts'
import { findProgress, selectUnclaimed } from '../quests/rows.ts'
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
          inArray(events.type, typesOf(quest)),
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
  for (const event of await readEvents(tx, quest, { userId, since })) {
    const period = periodAt(quest.current, event.occurredAt).key
    const row = await findProgress(tx, { userId, questId, period })
    const definition = row ? versionOf(quest, row.version) : quest.current
    if (isUnknown(definition, event)) report.unknown++
    else if (await countEvent(tx, quest, { ...event, data: parse(event.data) }, row)) report.events++
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
    .where(and(eq(questCounts.userId, userId), eq(questCounts.questId, quest.id)))
  const known = new Set(counted.map(({ stepId, source, eventId }) => `${stepId} ${source} ${eventId}`))
  const report: Counted = { events: 0, completed: 0, unknown: 0 }
  for (const event of await readEvents(reader, quest, { userId, since })) {
    const period = periodAt(quest.current, event.occurredAt).key
    const row = await findProgress(reader, { userId, questId: quest.id, period })
    if (row?.claimedAt) continue
    const definition = row ? versionOf(quest, row.version) : quest.current
    const data = parse(event.data)
    if (isUnknown(definition, event)) report.unknown++
    else if (
      definition.steps.some(
        step =>
          matchStep(step, { ...event, data }) !== undefined &&
          !known.has(`${step.id} ${event.source} ${event.eventId}`),
      )
    )
      report.events++
  }
  return report
}

const typesOf = ({ versions }: Quest) => [
  ...new Set([...versions.values()].flatMap(({ steps }) => steps.map(({ eventType }) => eventType))),
]

/** A fan's events that the quest may count, in the order of their recording. */
async function readEvents(reader: Reader, quest: Quest, { userId, since }: { userId: string; since: Date }) {
  const { events } = reader.tables
  const rows = await reader
    .select()
    .from(events)
    .where(
      and(
        eq(events.userId, userId),
        inArray(events.type, typesOf(quest)),
        gte(events.occurredAt, since),
        isNull(events.voidedAt),
      ),
    )
    .orderBy(asc(events.sequence))
  const { startsAt, endsAt } = quest
  return rows.flatMap(row => {
    const { type, occurredAt, sequence } = row
    if (type === null || occurredAt === null || sequence === null) return []
    if ((startsAt && occurredAt < startsAt) || (endsAt && endsAt <= occurredAt)) return []
    return [{ ...row, userId, type, occurredAt, sequence }]
  })
}

const parse = (data: string | null): Record<string, unknown> => JSON.parse(data ?? '{}')

function isUnknown({ steps }: Quest['current'], { type, data }: Pick<EventRow, 'type' | 'data'>): boolean {
  if (data !== null) return false
  return steps.some(step => step.eventType === type && (step.when.length > 0 || step.distinctBy !== null))
}

function countCompleted(reader: Reader, userId: string, questId: string): Promise<number> {
  const { questProgress: row } = reader.tables
  const own = and(eq(row.userId, userId), eq(row.questId, questId))
  return countRows(reader, row, and(own, isNotNull(row.completedAt)))
}
