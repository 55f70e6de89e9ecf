import { Closed, Instant } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

export const StreamQuery = Closed(
  {
    topics: Type.String({
      minLength: 1,
      maxLength: 2_500,
      description:
        'Separated by commas: `me` (your events, which needs a token), `leaderboard`, `leaderboard:predictions` or `leaderboard:predictions:SEASON`, `pack:ID`, `match:ID`, `question:ID`. At most 20.',
      examples: ['me,leaderboard'],
    }),
    ticket: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_096,
        examples: ['Zm9yIGV4YW1wbGU'],
        description: 'In place of the Authorization header, which `EventSource` cannot send.',
      }),
    ),
    lastEventId: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,15}$',
        description:
          'The `id` of the last event that you got, as the header `Last-Event-ID`: for a new `EventSource`, which cannot send it.',
        examples: ['42'],
        errorNoun: 'the id of an event: 1 to 15 digits',
      }),
    ),
  },
  { title: 'StreamQuery' },
)

export const EventStream = Type.String({
  contentMediaType: 'text/event-stream',
  description:
    'Server-sent events, until the token expires. The first event is `reset`, unless the stream resumes: read again everything that you show. Events of `me` have the type of the event, its sequence as `id`, and the message that webhooks send as data. Events of public topics have the topic as type and `{ "etag" }` as data; for a match also `status`, `homeScore` and `awayScore`. A question has `{ "state", "results", "correct" }`.',
})

export const StreamTicket = Closed(
  {
    ticket: Type.String({ description: 'For the query of one `GET /api/stream`.' }),
    expiresAt: Instant('When the ticket expires: after 30 seconds, or with your token.'),
  },
  { title: 'StreamTicket' },
)

export const exampleStream = `retry: 2000

id: 6
event: reset
data: {}

id: 6
event: leaderboard
data: {"etag":"\\"2jmj7l5rSw0yVb_vlWAYkK_YBwk\\""}

id: 7
event: reward.claimed
data: {"type":"reward.claimed","timestamp":"2026-08-15T18:30:00.000Z","data":{"userId":"01981e2c-7c1f-7000-8000-000000000003","sequence":7,"source":"matchday","eventId":"01981e2c-7c1f-7000-8000-000000000009","rewardId":"scarf"}}

`
