/** The effects that a quest would have had for recorded events, evaluated in order as if it had been active, for fans of its segment now. */
import { and, inArray, isNotNull, min } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { isWithin } from '../../club/catalogue/availability.ts'
import { instantOf } from '../../club/catalogue/entry.ts'
import { rememberMembers } from '../../club/segments/spine.ts'
import {
  eachPastEvent,
  type FanShares,
  type PastEvent,
  type PreviewOptions,
  sharesOf,
} from '../../economy/events/past-events.ts'
import { isInTime } from './completions.ts'
import type { QuestEntry } from './entry-schema.ts'
import { matchStep } from './match-step.ts'
import { periodAt } from './periods.ts'
import { definitionOf, type QuestDefinition, toStored } from './quest.ts'
import { type Counts, isFull } from './state.ts'

/** `fans` are those who would have completed it. */
export interface QuestPreview extends FanShares {
  questId: string
  /** Events that would have counted for a step. */
  events: number
  /** Fans with any progress. */
  started: number
  /** Periods that would have been completed, and the points of their rewards. */
  completions: number
  points: number
  /** Full periods of fans who had not completed the required quests in time. */
  blocked: number
  isComplete: boolean
}

interface Period {
  userId: string
  endsAt: Date | null
  counts: Counts
  /** Values of distinct steps that were counted. */
  values: Set<string>
}

/** Keeps each fan's periods in memory. Progress before `since` is left out, and so are events whose data was deleted. */
export async function previewQuest(
  reader: Reader,
  entry: QuestEntry,
  options: PreviewOptions,
): Promise<QuestPreview> {
  const definition = definitionOf(toStored(entry))
  const limits = { startsAt: instantOf(entry.startsAt), endsAt: instantOf(entry.endsAt) }
  const periods = new Map<string, Period>()
  const isInSegment = rememberMembers(reader)
  let events = 0
  const types = [...new Set(definition.steps.map(({ eventType }) => eventType))]
  const isComplete = await eachPastEvent(reader, types, options, async event => {
    if (!isWithin(limits, event.occurredAt)) return
    if (definition.fan !== null && !(await isInSegment(event.userId, definition.fan))) return
    if (countEvent(definition, periods, event)) events++
  })
  const full = [...periods.values()].filter(({ counts }) => isFull(definition, counts))
  const completed = await selectAllowed(reader, definition, limits, full)
  const gains = new Map<string, { times: number; points: number }>()
  for (const { userId } of completed) {
    const gain = gains.getOrInsertComputed(userId, () => ({ times: 0, points: 0 }))
    gain.times++
    gain.points += definition.reward.points
  }
  return {
    questId: entry.id,
    events,
    started: new Set([...periods.values()].map(({ userId }) => userId)).size,
    completions: completed.length,
    points: completed.length * definition.reward.points,
    blocked: full.length - completed.length,
    ...sharesOf(gains),
    isComplete,
  }
}

/** False if it counts for no step. */
function countEvent(definition: QuestDefinition, periods: Map<string, Period>, event: PastEvent): boolean {
  let isCounted = false
  for (const step of definition.steps) {
    const value = matchStep(step, event)
    if (value === undefined) continue
    const { key, endsAt } = periodAt(definition, event.occurredAt)
    const { userId } = event
    const period = periods.getOrInsertComputed(`${userId} ${key}`, () => ({
      userId,
      endsAt,
      counts: {},
      values: new Set(),
    }))
    isCounted = true
    if (value !== null && period.values.has(`${step.id} ${value}`)) continue
    if (value !== null) period.values.add(`${step.id} ${value}`)
    period.counts[step.id] = (period.counts[step.id] ?? 0) + 1
  }
  return isCounted
}

/** The periods of fans who have completed each required quest in time. */
async function selectAllowed(
  reader: Reader,
  { requires }: QuestDefinition,
  limits: { endsAt: Date | null },
  full: Period[],
): Promise<Period[]> {
  if (requires.length === 0) return full
  const completions = await readCompletions(reader, requires, [...new Set(full.map(({ userId }) => userId))])
  return full.filter(period => {
    const own = completions.get(period.userId) ?? new Map<string, Date>()
    return own.size === requires.length && isInTime(own, period, limits)
  })
}

const FANS_PER_READ = 500

/** By fan and quest: when it was completed first. */
async function readCompletions(reader: Reader, questIds: string[], userIds: string[]) {
  const { questProgress } = reader.tables
  const { userId, questId, completedAt } = questProgress
  const completions = new Map<string, Map<string, Date>>()
  for (let from = 0; from < userIds.length; from += FANS_PER_READ) {
    const rows = await reader
      .select({ userId, questId, first: min(completedAt) })
      .from(questProgress)
      .where(
        and(
          inArray(userId, userIds.slice(from, from + FANS_PER_READ)),
          inArray(questId, questIds),
          isNotNull(completedAt),
        ),
      )
      .groupBy(userId, questId)
    for (const { userId, questId, first } of rows)
      if (first) completions.getOrInsertComputed(userId, () => new Map()).set(questId, first)
  }
  return completions
}
