import { CATEGORIES } from '../../club/notifications/categories.ts'
import {
  Closed,
  Id,
  IdReference,
  Instant,
  InstantInput,
  Integer,
  NextCursor,
  Nullable,
  OneOf,
} from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

const Unread = Integer({ minimum: 0, description: 'Messages of the inbox that are not read.' })

const Message = Closed(
  {
    id: Id('The message.'),
    category: OneOf(CATEGORIES, { description: 'What the fan can switch off.' }),
    title: Type.String({ description: 'First line. Plain text.' }),
    body: Type.String({ description: 'Plain text.' }),
    url: Nullable(Type.String(), { description: 'What a tap opens: an https URL, or a path of the app.' }),
    imageUrl: Nullable(Type.String(), { description: 'https URL, or a path of the API’s origin.' }),
    createdAt: Instant('When it was written.'),
    readAt: Nullable(Instant('When the fan read it. Null: not yet.')),
  },
  { title: 'Message' },
)

export const Inbox = Closed(
  {
    messages: Type.Array(Message, { description: 'Newest first.' }),
    unread: Unread,
    nextCursor: NextCursor,
  },
  { title: 'Inbox' },
)

export const ReadMessages = Closed(
  {
    ids: Type.Optional(
      Type.Array(IdReference('Id of a message.', '01981e2c-7c1f-7000-8000-000000000003'), {
        minItems: 1,
        maxItems: 100,
        description: 'These messages. Unknown ones are ignored.',
      }),
    ),
    until: Type.Optional(
      InstantInput(
        'All messages whose `createdAt` is not later: that of the newest one that the fan has seen.',
      ),
    ),
    clicked: Type.Optional(
      Type.Literal(true, { description: 'With `ids`: the fan has opened their `url`, which reports count.' }),
    ),
  },
  { title: 'ReadMessages', description: 'Either `ids` or `until`.' },
)
export type ReadMessages = typeof ReadMessages.static

export const UnreadCount = Closed({ unread: Unread }, { title: 'UnreadCount' })

export const MessageParams = Closed({
  messageId: IdReference('Id of the message.', '01981e2c-7c1f-7000-8000-000000000003'),
})

export const exampleMessage = {
  id: '01981e2c-7c1f-7000-8000-000000000003',
  category: 'match' as const,
  title: 'Harbour City – Northfield: last hours to predict',
  body: 'You have not predicted this match yet.',
  url: '/matches/harbour-city-northfield',
  imageUrl: null,
  createdAt: '2026-08-15T15:30:00.000Z',
  readAt: null,
}
