/** The messages of webhooks, for the `webhooks` of the OpenAPI document: one for each type of the application's events. */
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { Closed, Id, Instant, Integer } from '../core/schemas.ts'
import type { DescribedMessage } from '../docs/webhooks.ts'
import { APPLICATION, applicationEvents } from '../events/types.ts'
import { exampleOf } from './example.ts'

const envelope = {
  userId: Id('The fan.'),
  sequence: Integer({
    minimum: 1,
    description: '1, 2, 3 … for each fan. Deliveries of a fan keep this order.',
  }),
  source: Type.String({ description: '`matchday`, or the system that reported the event.' }),
  eventId: Type.String({ description: 'Unique within the source.' }),
}

const TYPE = { description: 'The type of the event.' }

const messageOf = (title: string, type: TSchema, content: Record<string, TSchema>, description: string) =>
  Closed(
    {
      type,
      timestamp: Instant('When it happened.'),
      data: Closed({ ...envelope, ...content }, { description: 'The event.' }),
    },
    { title, description },
  )

/** Names of the application's types, such as `RewardClaimedMessage`, and one for all other events. */
export function describeMessages(): DescribedMessage[] {
  const own = Object.entries(applicationEvents).map(([type, { properties, description = '' }]) => {
    const schema = messageOf(titleOf(type), Type.Literal(type, TYPE), properties, description)
    return { type, description, schema, example: messageExample(schema, type, APPLICATION) }
  })
  const description =
    'An event of another system, of any other type. Endpoints get it by a pattern: `shop.*`, or `*` for everything.'
  const data = Type.Record(Type.String(), Type.Unknown(), { description: 'As the system reported it.' })
  const other = messageOf(
    'OtherMessage',
    Type.String({ ...TYPE, examples: ['shop.purchase'] }),
    { data },
    description,
  )
  const example = messageExample(other, 'shop.purchase', 'shop')
  return [...own, { type: 'other', description, schema: other, example }]
}

function messageExample(schema: TObject, type: string, source: string): unknown {
  const { data, ...message } = exampleOf(schema) as { data: object }
  return { ...message, type, data: { ...data, source } }
}

const titleOf = (type: string) =>
  `${type
    .split(/[._]/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Message`
