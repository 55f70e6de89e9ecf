/** An event, as it is recorded: of a fan, or of a match. */
import type { Tables } from '../../../db/index.ts'
import type { TakenGrant } from '../rules/apply-rules.ts'
import { type Decision, parseDecisions } from '../rules/decision.ts'

/** A JSON object. */
export type EventData = Record<string, unknown>

export interface NewEvent {
  source: string
  /** Unique within its source. */
  eventId: string
  userId: string
  type: string
  occurredAt: Date
  data: EventData
  /** Another fan who caused it, for observers. It is not stored. */
  senderId?: string
}

export interface RecordedEvent extends NewEvent {
  /** 1, 2, 3 … per fan. */
  sequence: number
  recordedAt: Date
}

/** A change of a match, which is of no fan. */
export interface MatchEvent extends Omit<RecordedEvent, 'userId'> {
  matchId: string
  /** 1, 2, 3 … per match. */
  sequence: number
}

/** What other systems get. */
export type SentEvent = RecordedEvent | MatchEvent

/** A fan, or `match:ID`: events of one lane keep their order. No id of a fan has a colon. */
export const laneOf = (event: SentEvent): string =>
  'matchId' in event ? `match:${event.matchId}` : event.userId

export type EventRow = Tables['events']['$inferSelect']

/** Empty after it was deleted. */
export const dataOf = ({ data }: Pick<EventRow, 'data'>): EventData => parseJson<EventData>(data) ?? {}

/** Null for a void whose event has not arrived. */
export function toRecordedEvent(row: EventRow): RecordedEvent | null {
  const { source, eventId, userId, sequence, type, occurredAt, recordedAt } = row
  if (userId === null || sequence === null || type === null || occurredAt === null) return null
  return { source, eventId, userId, sequence, type, occurredAt, recordedAt, data: dataOf(row) }
}

export const decisionsOf = ({ decisions }: Pick<EventRow, 'decisions'>): Decision[] =>
  decisions === null ? [] : parseDecisions(decisions)

/** What an event earned. */
export const grantsOf = (decisions: Decision[]) =>
  decisions.filter(({ outcome }) => outcome === 'granted').map(({ ruleId, points }) => ({ ruleId, points }))

/** Guarantee of the cast: only this room writes the JSON columns of an event. */
export const parseJson = <Value>(text: string | null): Value | null =>
  text === null ? null : (JSON.parse(text) as Value)

/** What a void took back of each grant, by rule. */
export const takenOf = ({ taken }: Pick<EventRow, 'taken'>) =>
  new Map((parseJson<TakenGrant[]>(taken) ?? []).map(grant => [grant.ruleId, grant]))

/**
 * Points of an event that count against budgets, by rule, minus the points that its void took back. Empty for a row that is
 * not JSON.
 */
export function budgetedPoints(
  row: Pick<EventRow, 'decisions' | 'taken'>,
): Pick<Decision, 'ruleId' | 'points'>[] {
  try {
    const taken = takenOf(row)
    return decisionsOf(row).flatMap(({ ruleId, outcome, budgeted, points }) =>
      budgeted && outcome === 'granted'
        ? [{ ruleId, points: points - (taken.get(ruleId)?.points ?? 0) }]
        : [],
    )
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}
