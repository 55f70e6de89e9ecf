/** Rules, as a catalogue states them and as they are stored: each version as a whole, so that every past grant can be explained. */

import { Conditions, DataPointer, EventType } from '../../club/catalogue/conditions.ts'
import { completeEntry, instantOf } from '../../club/catalogue/entry.ts'
import { availabilityMembers, EntrySlug, Maybe } from '../../club/catalogue/entry-schema.ts'
import { defaultOf, Text } from '../../club/catalogue/texts.ts'
import { FanMember } from '../../club/segments/segment-kind.ts'
import { Closed, Integer, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'

/** Maximum points of one grant. Keeps sums exact: a fan would need nine million such grants to exceed 2^53 - 1. */
export const MAX_POINTS = 1_000_000_000

const Points = (description: string) => Integer({ minimum: 1, maximum: MAX_POINTS, description })

/** A rule in a catalogue file: how events of a type earn points. */
export const RuleEntry = Closed(
  {
    id: EntrySlug('Slug of the rule.'),
    name: Text(100, 'For operators, and for the history of points.'),
    eventType: EventType('Type of the events that earn points.'),
    when: Type.Optional(Conditions),
    points: Type.Union(
      [
        Closed({ fixed: Points('Points for each event.') }, { errorNoun: '{"fixed": points}' }),
        Closed(
          {
            per: DataPointer('A number in the data of the event.'),
            every: Integer({ minimum: 1, description: 'The number is divided by this and rounded down.' }),
            points: Points(`Points for each whole part. One event earns at most ${MAX_POINTS} by a rule.`),
          },
          { errorNoun: '{"per": pointer, "every": number, "points": points}' },
        ),
      ],
      { description: 'What an event earns.' },
    ),
    limit: Maybe(
      Closed(
        {
          count: Integer({ minimum: 1, description: 'Grants per fan and window.' }),
          per: OneOf(['day', 'week', 'month', 'ever'], {
            description: 'Window of `occurredAt` in the time zone of the rule. A week is an ISO week.',
          }),
        },
        { errorNoun: '{"count": number, "per": "day", "week", "month" or "ever"}' },
      ),
    ),
    fan: FanMember,
    account: Maybe(EntrySlug('The account in which the points are kept. Null: the points that fans spend.')),
    budget: Maybe(
      Integer({
        minimum: 1,
        description: 'Points that all fans together get at most while the rule has a budget. Null: no limit.',
      }),
    ),
    timeZone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        default: 'UTC',
        description: 'IANA time zone of the windows.',
      }),
    ),
    ...availabilityMembers,
  },
  { title: 'Rule' },
)
export type RuleEntry = Static<typeof RuleEntry>

/** The JSON of a version: an entry with all members. Instants are canonical. */
export type RuleContent = Required<RuleEntry>

export interface Rule extends Omit<RuleContent, 'name' | 'startsAt' | 'endsAt'> {
  /** In its default language. */
  name: string
  /** The revision of the rule set in which the rule last changed. */
  version: number
  startsAt: Date | null
  endsAt: Date | null
}

export const contentOf = (entry: RuleEntry): RuleContent => ({
  ...completeEntry(RuleEntry, entry),
  when: entry.when ?? [],
  startsAt: instantOf(entry.startsAt)?.toISOString() ?? null,
  endsAt: instantOf(entry.endsAt)?.toISOString() ?? null,
})

export const ruleOf = (content: RuleContent, version: number): Rule => ({
  ...content,
  name: defaultOf(content.name),
  // Versions from before there were accounts and segments have none.
  account: content.account ?? null,
  fan: content.fan ?? null,
  version,
  startsAt: instantOf(content.startsAt),
  endsAt: instantOf(content.endsAt),
})

/** Guarantee of the cast: only `rule-kind.ts` writes versions. */
export const parseContent = (entry: string) => JSON.parse(entry) as RuleContent
