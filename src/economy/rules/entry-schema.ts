import { Conditions, DataPointer, EventType } from '../../club/catalogue/conditions.ts'
import { availabilityMembers, EntrySlug, Maybe } from '../../club/catalogue/entry-schema.ts'
import { Text } from '../../club/catalogue/texts.ts'
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
