/** The messages of webhooks, for the `webhooks` of the OpenAPI document: one for each type of the application's events. */

import { exampleMatch, exampleUpdate } from '../../club/matches/schema.ts'
import { Closed, Id, Instant, Integer } from '../../core/schemas.ts'
import { type TObject, type TSchema, Type } from '../../core/typebox.ts'
import { APPLICATION, applicationEvents, MATCH_UPDATED, matchUpdated } from '../../economy/events/types.ts'
import type { DescribedMessage } from '../../platform/docs/webhooks.ts'

const origin = {
  source: Type.String({ description: '`matchday`, or the system that reported the event.' }),
  eventId: Type.String({ description: 'Unique within the source.' }),
}
const ofFan = {
  userId: Id('The fan.'),
  sequence: Integer({
    minimum: 1,
    description: '1, 2, 3 … for each fan. Deliveries of a fan keep this order.',
  }),
  ...origin,
}
const ofMatch = {
  matchId: Type.String({ description: 'The match.' }),
  sequence: Integer({
    minimum: 1,
    description: '1, 2, 3 … for each match. Deliveries of a match keep this order.',
  }),
  ...origin,
}

const TYPE = { description: 'The type of the event.' }

const messageOf = (title: string, type: TSchema, data: Record<string, TSchema>, description: string) =>
  Closed(
    {
      type,
      timestamp: Instant('When it happened.'),
      data: Closed(data, { description: 'The event.' }),
    },
    { title, description },
  )

/** Names of the application's types, such as `RewardClaimedMessage`, and one for all other events. */
export function describeMessages(): DescribedMessage[] {
  const own = Object.entries(applicationEvents).map(([type, { properties, description = '' }]) => {
    const schema = messageOf(
      titleOf(type),
      Type.Literal(type, TYPE),
      { ...ofFan, ...properties },
      description,
    )
    return { type, description, schema, example: messageExample(schema, type, APPLICATION) }
  })
  const description =
    'An event of another system, of any other type. Endpoints get it by a pattern: `shop.*`, or `*` for everything.'
  const content = {
    data: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The data that the system reported.' }),
    ),
    truncated: Type.Optional(
      Type.Literal(true, { description: 'The body would exceed 20 KiB: `data` is left out.' }),
    ),
  }
  const other = messageOf(
    'OtherMessage',
    Type.String({ ...TYPE, examples: ['shop.purchase'] }),
    { ...ofFan, ...content },
    description,
  )
  const reported = { data: { amount: 1_250, currency: 'EUR' } }
  const example = messageExample(other, 'shop.purchase', 'shop', reported)
  return [...own, describeMatchMessage(), { type: 'other', description, schema: other, example }]
}

function describeMatchMessage(): DescribedMessage {
  const type = MATCH_UPDATED
  const { properties, description = '' } = matchUpdated
  const data = { ...ofMatch, ...properties }
  const schema = messageOf(titleOf(type), Type.Literal(type, TYPE), data, description)
  const { id: matchId, checkIn: _, sponsorId: _s, ...match } = exampleMatch
  const state = { matchId, sequence: 3, source: APPLICATION, eventId: `${matchId}:3`, ...match }
  const timestamp = '2026-08-15T20:21:00.000Z'
  return { type, description, schema, example: { type, timestamp, data: { ...state, ...exampleUpdate } } }
}

/** The example of a type, as the document shows it. */
export function exampleMessage(type: string): object {
  const described = describeMessages()
  const found =
    described.find(message => message.type === type) ?? described.find(({ type }) => type === 'other')
  // Guarantee of the cast: `messageExample` wrote it.
  return { ...(found?.example as object), type }
}

function messageExample(schema: TObject, type: string, source: string, content: object = {}): unknown {
  // Guarantee of the cast: `messageOf` requires the member.
  const { data, ...message } = exampleOf(schema) as { data: object }
  return { ...message, type, data: { ...data, source, ...content } }
}

const titleOf = (type: string) =>
  `${type
    .split(/[._]/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Message`

const MADE: Record<string, unknown> = {
  string: 'example',
  integer: 1,
  number: 1,
  boolean: true,
  array: [],
  null: null,
}

/** The example of a schema, or one that is built from the examples of its required members. */
export function exampleOf(schema: TSchema): unknown {
  const { examples, const: constant, anyOf, type, properties, required = [], items, minimum } = schema
  if (Array.isArray(examples)) return examples[0]
  if (constant !== undefined) return constant
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0])
  if (type === 'array' && items) return [exampleOf(items)]
  if (type === 'object') {
    // Guarantee of the cast: the type is `object`.
    const members = Object.entries((properties ?? {}) as Record<string, TSchema>).filter(([name]) =>
      required.includes(name),
    )
    return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member)]))
  }
  return typeof minimum === 'number' && minimum > 1 ? minimum : MADE[String(type)]
}
