import { EventType } from '../../club/catalogue/conditions.ts'
import { Closed, InstantInput, Integer, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { FanReference } from '../../identity/users/fan-reference.ts'

/** Maximum size of `data` as JSON in UTF-8. */
export const MAX_DATA_BYTES = 4_096

const EventId = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Your id of the event, unique among all events that you send.',
  examples: ['gate-7-scan-81422'],
})

export const Event = Closed(
  {
    id: EventId,
    type: EventType(
      'What happened. Types and namespaces that the application records itself, such as `order.paid`, are refused.',
    ),
    fan: FanReference,
    occurredAt: InstantInput('When it happened: at most 30 days ago, and at most 5 minutes ahead.'),
    data: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: `Data for the conditions of rules and quests: any members, at most ${MAX_DATA_BYTES} bytes as JSON.`,
          examples: [{ gate: 7 }],
        },
      ),
    ),
  },
  { title: 'Event' },
)
export type Event = Static<typeof Event>

export const Events = Closed(
  {
    events: Type.Array(Event, {
      minItems: 1,
      maxItems: 100,
      description: 'Each event is recorded or refused separately.',
    }),
  },
  { title: 'Events' },
)
export type Events = Static<typeof Events>

const RuleId = Type.String({ description: 'Slug of the rule.', examples: ['home-match'] })

const Grant = Closed(
  { ruleId: RuleId, points: Integer({ minimum: 1, description: 'Points that the fan got.' }) },
  { title: 'Grant' },
)

const CODES = {
  event_id_reused: 'the id was used for an event with other content',
  too_old: 'it happened more than 30 days ago',
  in_future: 'it happens more than 5 minutes from now',
  fan_not_found: 'no fan has this `userId`, or the provider is another one than that of this API',
  type_reserved: 'the type, or its namespace, is one that the application records itself',
  internal_error: 'the server failed at this event; send it again later',
  event_archived: 'an event with this id is in the archive',
  voided: 'the event was voided before it arrived',
  fan_erased: 'the fan was erased; nothing was recorded',
} as const

export const EventResult = Closed(
  {
    id: EventId,
    outcome: OneOf(['applied', 'duplicate', 'ignored', 'refused'], {
      description:
        '`applied`: recorded. `duplicate`: recorded before; nothing changed. `ignored`: recorded, but nothing listens to ' +
        'its type, or `code` says why not. `refused`: not recorded; `code` says why.',
    }),
    code: Type.Optional(
      Type.Unsafe<keyof typeof CODES>({
        type: 'string',
        enum: Object.keys(CODES),
        description: Object.entries(CODES)
          .map(([code, meaning]) => `\`${code}\`: ${meaning}.`)
          .join(' '),
      }),
    ),
    grants: Type.Array(Grant, { description: 'Points that the event earned. Also stated for a duplicate.' }),
  },
  { title: 'EventResult' },
)
export type EventResult = Static<typeof EventResult>

export const EventResults = Closed(
  { results: Type.Array(EventResult, { description: 'In the order of the events.' }) },
  { title: 'EventResults' },
)

export const VoidEvent = Closed(
  {
    id: EventId,
    note: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Why, for the club. Deleted when the fan is erased.',
      }),
    ),
  },
  { title: 'VoidEvent' },
)
export type VoidEvent = Static<typeof VoidEvent>

export const VoidedEvent = Closed(
  {
    id: EventId,
    taken: Type.Array(
      Closed(
        {
          ruleId: RuleId,
          points: Integer({
            minimum: 0,
            description: 'Points that were taken back, at most the balance of the fan.',
          }),
          uncollected: Integer({ minimum: 0, description: 'Points of the grant that the fan has spent.' }),
        },
        { title: 'Taken' },
      ),
      { description: 'Points that the event had earned. A repeat returns the same number.' },
    ),
  },
  { title: 'VoidedEvent' },
)

export const exampleEvent = {
  id: 'gate-7-scan-81422',
  type: 'stadium.entered',
  fan: { provider: 'mock-idp', subject: 'fan-0002' },
  occurredAt: '2026-08-15T17:45:00.000Z',
  data: { gate: 7 },
}
