/** An event, as it is recorded: of a fan, or of a match. */
import type { Tables } from '../../../db/index.ts'
import type { Decision } from '../rules/decision.ts'
import { digestOf } from './digest.ts'

/** A JSON object. */
type EventData = Record<string, unknown>

export interface NewEvent {
  source: string
  /** Unique within its source. */
  eventId: string
  userId: string
  type: string
  occurredAt: Date
  data: EventData
  /** SHA-256 of the content. Default: computed. */
  digest?: string | null
}

export interface RecordedEvent extends Omit<NewEvent, 'digest'> {
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

/** The row of a new event, without its sequence. */
export const rowOf = ({ data, ...event }: NewEvent, recordedAt: Date) => {
  const digest = event.digest ?? digestOf({ ...event, data })
  return { ...event, digest, recordedAt, data: JSON.stringify(data) }
}

export type EventRow = Tables['events']['$inferSelect']

/** Null for a void whose event has not arrived. Deleted data is empty. */
export function toRecordedEvent(row: EventRow): RecordedEvent | null {
  const { source, eventId, userId, sequence, type, occurredAt, recordedAt } = row
  if (userId === null || sequence === null || type === null || occurredAt === null) return null
  const data = parseJson<EventData>(row.data) ?? {}
  return { source, eventId, userId, sequence, type, occurredAt, recordedAt, data }
}

/** The event of a row; null for a void whose event has not arrived. */
export function eventOf(row: EventRow): NewEvent | null {
  const event = toRecordedEvent(row)
  return event && { ...event, digest: row.digest }
}

export const decisionsOf = ({ decisions }: Pick<EventRow, 'decisions'>) =>
  parseJson<Decision[]>(decisions) ?? []

/** What an event earned. */
export const grantsOf = (decisions: Decision[]) =>
  decisions.filter(({ outcome }) => outcome === 'granted').map(({ ruleId, points }) => ({ ruleId, points }))

/** Guarantee of the cast: only this room writes the JSON columns of an event. */
export const parseJson = <Value>(text: string | null): Value | null =>
  text === null ? null : (JSON.parse(text) as Value)
