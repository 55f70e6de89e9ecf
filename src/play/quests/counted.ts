/** The events that were counted for the steps of fans' periods, in memory until `write`. */
import { eq } from 'drizzle-orm'
import { deleteRows, insertRows } from '../../../db/bulk.ts'
import type { Tables, Transaction } from '../../../db/index.ts'
import { keysWithRows, rowsByKeys } from '../../../db/keys.ts'
import { prepared } from '../../../db/prepared.ts'
import type { QuestDefinition } from './quest.ts'
import { isOf, type PeriodKey } from './rows.ts'
import type { Counts } from './state.ts'

export type Count = Tables['questCounts']['$inferSelect']

interface EventOfFan {
  userId: string
  source: string
  eventId: string
}

/** Requires that the accounts of the fans are locked. Data that was not loaded is read when it is needed. */
export interface Counted {
  /** Loads which of these values of steps with `distinctBy` were counted. */
  loadValues(counts: Count[]): Promise<void>
  /** Whether an event of the same step and value was counted. */
  hasValue(count: Count & { value: string }): Promise<boolean>
  /** Loads all events that were counted for these periods. */
  loadPeriods(keys: PeriodKey[]): Promise<void>
  /** Whether the event was counted for the step. */
  has(count: Count): Promise<boolean>
  add(count: Count): void
  /** Loads the steps for which these events were counted. */
  loadEvents(events: EventOfFan[]): Promise<void>
  /** The steps for which an event was counted. */
  listOf(event: EventOfFan): Promise<Count[]>
  remove(count: Count): Promise<void>
  /** The period is claimed: nothing changes it, so its counted events need no rows. */
  settle(key: PeriodKey): void
  /** The counts that follow from the counted events. */
  recount(key: PeriodKey, definition: Pick<QuestDefinition, 'steps'>): Promise<Counts>
  write(): Promise<void>
}

const periodName = ({ userId, questId, period }: PeriodKey) => `${userId} ${questId} ${period}`
const valueName = (count: Omit<Count, 'source' | 'eventId'>) =>
  `${periodName(count)} ${count.stepId} ${count.value}`
const eventName = ({ userId, source, eventId }: EventOfFan) => `${userId} ${source} ${eventId}`
const countName = (count: Count) => `${periodName(count)} ${count.stepId} ${count.source} ${count.eventId}`

const selectPeriods = rowsByKeys('questCounts', ['userId', 'questId', 'period'])
const selectEvents = rowsByKeys('questCounts', ['userId', 'source', 'eventId'])
const selectValues = keysWithRows('questCounts', ['userId', 'questId', 'period', 'stepId', 'value'])

export function openCounted(tx: Transaction): Counted {
  /** Whole periods, by name. */
  const periods = new Map<string, Map<string, Count>>()
  const values = new Map<string, boolean>()
  const events = new Map<string, Count[]>()
  const added = new Map<string, Count>()
  const removed = new Map<string, Count>()
  const settled = new Map<string, PeriodKey>()

  async function loadValues(counts: Count[]) {
    const wanted = counts.filter(
      count => count.value !== null && !values.has(valueName(count)) && !periods.has(periodName(count)),
    )
    if (wanted.length === 0) return
    const keys = wanted.map(count => ({ ...count, value: count.value ?? '' }))
    const known = new Set((await selectValues(tx, keys)).map(valueName))
    for (const count of wanted) values.set(valueName(count), known.has(valueName(count)))
  }

  async function loadPeriods(keys: PeriodKey[]) {
    const wanted = new Map(
      keys.filter(key => !periods.has(periodName(key))).map(key => [periodName(key), key]),
    )
    for (const name of wanted.keys()) periods.set(name, new Map())
    for (const row of [...(await selectPeriods(tx, [...wanted.values()])), ...added.values()])
      if (wanted.has(periodName(row)) && !removed.has(countName(row)))
        periods.get(periodName(row))?.set(countName(row), row)
  }

  async function loadEvents(wanted: EventOfFan[]) {
    const unknown = new Map(wanted.filter(event => !events.has(eventName(event))).map(e => [eventName(e), e]))
    for (const name of unknown.keys()) events.set(name, [])
    if (unknown.size === 0) return
    for (const row of [...(await selectEvents(tx, [...unknown.values()])), ...added.values()])
      if (unknown.has(eventName(row))) events.get(eventName(row))?.push(row)
  }

  async function periodOf(key: PeriodKey) {
    await loadPeriods([key])
    return [...(periods.get(periodName(key))?.values() ?? [])]
  }

  return {
    loadValues,
    loadPeriods,
    loadEvents,
    async hasValue(count) {
      const whole = periods.get(periodName(count))
      if (whole) return [...whole.values()].some(row => valueName(row) === valueName(count))
      await loadValues([count])
      return values.get(valueName(count)) ?? false
    },
    async has(count) {
      await loadPeriods([count])
      return periods.get(periodName(count))?.has(countName(count)) ?? false
    },
    add(count) {
      added.set(countName(count), count)
      periods.get(periodName(count))?.set(countName(count), count)
      if (count.value !== null) values.set(valueName(count), true)
      events.get(eventName(count))?.push(count)
    },
    async listOf(event) {
      await loadEvents([event])
      return [...(events.get(eventName(event)) ?? [])]
    },
    async remove(count) {
      await loadPeriods([count])
      if (!added.delete(countName(count))) removed.set(countName(count), count)
      periods.get(periodName(count))?.delete(countName(count))
    },
    settle: key => void settled.set(periodName(key), key),
    async recount(key, { steps }) {
      const rows = Map.groupBy(await periodOf(key), ({ stepId }) => stepId)
      const counts: Counts = {}
      for (const { id, distinctBy } of steps) {
        const own = rows.get(id)
        if (own) counts[id] = distinctBy === null ? own.length : new Set(own.map(({ value }) => value)).size
      }
      return counts
    },
    async write() {
      for (const [name, count] of added) if (settled.has(periodName(count))) added.delete(name)
      if (settled.size > 0)
        for (const count of await selectPeriods(tx, [...settled.values()]))
          removed.set(countName(count), count)
      await deleteRows(tx, tx.tables.questCounts, [...removed.values()])
      await insertRows(tx, tx.tables.questCounts, [...added.values()])
    },
  }
}

/** Of a period that is claimed at the fan's request. */
export const deleteCountsOfPeriod = prepared((tx: Transaction, { userId, questId, period }: PeriodKey) => {
  const { questCounts } = tx.tables
  return tx.delete(questCounts).where(isOf(questCounts, { userId, questId, period }))
})

/** For the erasure of a fan. */
export const deleteCountsOf = prepared((tx: Transaction, userId: string) =>
  tx.delete(tx.tables.questCounts).where(eq(tx.tables.questCounts.userId, userId)),
)
