/** Rules as they are stored. Each version is stored as a whole, so that every past grant can be explained. */
import type { Condition } from '../catalogue/conditions.ts'
import { instantOf } from '../catalogue/entry.ts'
import type { RuleEntry } from './entry-schema.ts'

/** The JSON of a version: an entry with all members. Instants are canonical. */
export interface RuleContent {
  id: string
  name: string
  eventType: string
  when: Condition[]
  points: RuleEntry['points']
  limit: NonNullable<RuleEntry['limit']> | null
  budget: number | null
  timeZone: string
  active: boolean
  startsAt: string | null
  endsAt: string | null
}

export interface Rule extends Omit<RuleContent, 'startsAt' | 'endsAt'> {
  /** The revision of the rule set with which the rule became as it is. */
  version: number
  startsAt: Date | null
  endsAt: Date | null
}

export function contentOf(entry: RuleEntry): RuleContent {
  const { id, name, eventType, when, points, limit, budget, timeZone, active, startsAt, endsAt } = entry
  return {
    id,
    name,
    eventType,
    when: when ?? [],
    points,
    limit: limit ?? null,
    budget: budget ?? null,
    timeZone: timeZone ?? 'UTC',
    active: active ?? true,
    startsAt: instantOf(startsAt)?.toISOString() ?? null,
    endsAt: instantOf(endsAt)?.toISOString() ?? null,
  }
}

export const ruleOf = (content: RuleContent, version: number): Rule => ({
  ...content,
  version,
  startsAt: instantOf(content.startsAt),
  endsAt: instantOf(content.endsAt),
})

/** Guarantee of the cast: only `upsert-rule.ts` writes versions. */
export const parseContent = (entry: string) => JSON.parse(entry) as RuleContent
