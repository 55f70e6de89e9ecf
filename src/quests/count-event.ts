/** Counts an event for the steps of a quest that it meets. The primary key of the counted events decides: once for a step. */
import { hash } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { Tables, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { meetsAll, valueAt } from '../catalogue/conditions.ts'
import type { RecordedEvent } from '../events/event.ts'
import { type Quest, type QuestDefinition, type QuestStep, versionOf } from './definition.ts'
import { type Period, periodAt } from './periods.ts'
import { insertProgress, isOf, type ProgressRow, updateCounts } from './rows.ts'
import { type Counts, parseCounts } from './state.ts'

export interface Counted {
  period: Period
  definition: QuestDefinition
  counts: Counts
}

/**
 * `row` is the fan's progress in the period of the event; the fan's account is locked. Creates the row with the current
 * version of the quest, or counts by the version of the row. Null if nothing was counted.
 */
export async function countEvent(
  tx: Transaction,
  quest: Quest,
  event: RecordedEvent,
  row: ProgressRow | undefined,
): Promise<Counted | null> {
  if (row?.claimedAt) return null
  const definition = row ? versionOf(quest, row.version) : quest.current
  const period = periodAt(definition, event.occurredAt)
  const { userId, source, eventId } = event
  const key = { userId, questId: quest.id, period: period.key }
  const counts = row ? parseCounts(row.counts) : {}
  let counted = false
  for (const step of definition.steps) {
    const value = matchStep(step, event)
    if (value === undefined) continue
    const count = { ...key, stepId: step.id, source, eventId, value }
    if ((await insertCount(tx, count)).length === 0) continue
    counted = true
    const isRepeated = value !== null && (await selectSame(tx, { ...count, value })).length > 1
    if (!isRepeated) counts[step.id] = (counts[step.id] ?? 0) + 1
  }
  if (!counted) return null
  const text = JSON.stringify(counts)
  if (row) await updateCounts(tx, key, text)
  else {
    const { version } = quest
    await insertProgress(tx, { ...key, endsAt: period.endsAt, version, counts: text, createdAt: tx.now() })
  }
  return { period, definition, counts }
}

/** What the event counts for: a hash of its distinct value, null for a step without. Undefined if it does not count. */
export function matchStep(
  { eventType, when, distinctBy }: QuestStep,
  { type, data }: Pick<RecordedEvent, 'type' | 'data'>,
): string | null | undefined {
  if (type !== eventType || !meetsAll(when, data)) return undefined
  if (distinctBy === null) return null
  const value = valueAt(data, distinctBy)
  // 128 bits: no value of another system is stored a second time.
  return value === undefined ? undefined : hash('sha256', JSON.stringify(value), 'hex').slice(0, 32)
}

/** Whether the match depends on the data of an event, which is deleted after a while. */
export const needsData = ({ when, distinctBy }: QuestStep): boolean => when.length > 0 || distinctBy !== null

type CountRow = Tables['questCounts']['$inferInsert']

const insertCount = prepared((tx: Transaction, count: CountRow) =>
  tx
    .insert(tx.tables.questCounts)
    .values(count)
    .onConflictDoNothing()
    .returning({ stepId: tx.tables.questCounts.stepId }),
)

/** Up to two counted events of a step with the same value. */
const selectSame = prepared((tx: Transaction, count: CountRow & { value: string }) => {
  const { questCounts } = tx.tables
  return tx
    .select({ eventId: questCounts.eventId })
    .from(questCounts)
    .where(
      and(isOf(questCounts, count), eq(questCounts.stepId, count.stepId), eq(questCounts.value, count.value)),
    )
    .limit(2)
})
