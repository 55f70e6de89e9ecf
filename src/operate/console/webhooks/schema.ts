/** Schemas of endpoints and deliveries. */
import { MAX_URL_LENGTH } from '../../../core/https-url.ts'
import {
  Closed,
  Id,
  IdReference,
  Instant,
  InstantInput,
  InstantParameter,
  Integer,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
} from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { DELIVERY_STATES } from '../../../delivery/webhooks/types.ts'
import { Reason } from '../../../identity/staff/reason.ts'

const Endpoint = Closed(
  {
    id: Id('Of the endpoint.'),
    url: Type.String(),
    types: Type.Array(Type.String(), { description: 'Event types, and patterns such as `quest.*`.' }),
    state: OneOf(['active', 'paused', 'disabled'], {
      description:
        '`paused`: the receiver asked to wait. `disabled`: nothing is sent; events are kept for 30 days.',
    }),
    disabledReason: Nullable(Type.String(), {
      description: '`operator`, `gone` after 410, `failing` after five days without a success.',
    }),
    disabledAt: Nullable(Instant('Since when nothing is sent.')),
    pausedUntil: Nullable(Instant('The receiver asked to wait until then.')),
    failingSince: Nullable(Instant('The first failed attempt after the last success.')),
    createdAt: Instant('When it was added.'),
    previousSecretEndsAt: Nullable(Instant('Until then the secret before the last rotation also signs.')),
    pending: Integer({ description: 'Deliveries that wait, at most 10000.' }),
    oldestAt: Nullable(Instant('The oldest event among 1000 that wait.')),
  },
  { title: 'WebhookEndpoint' },
)

export const Webhooks = Closed(
  {
    endpoints: Type.Array(Endpoint),
    awaiting: Closed(
      { pending: Integer(), oldestAt: Nullable(Instant('When the oldest was recorded.')) },
      { description: 'Events that are not distributed to endpoints yet.' },
    ),
    types: Type.Array(Type.String(), {
      description: 'Of the application. Other systems report further ones.',
    }),
  },
  { title: 'Webhooks' },
)

const Types = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 50,
  description: 'Event types, and patterns such as `quest.*` or `*`.',
  examples: [['reward.claimed', 'quest.*']],
})
const Url = Type.String({
  minLength: 1,
  maxLength: MAX_URL_LENGTH,
  description: 'Where events are sent. In production https and a public address.',
  examples: ['https://crm.example.com/hooks'],
})

export const NewEndpoint = Closed({ url: Url, types: Types, reason: Reason })
export const AddedEndpoint = Closed(
  { id: Id('Of the endpoint.'), secret: Type.String({ description: 'Shown this once.' }) },
  { title: 'AddedWebhookEndpoint' },
)
export const RotatedSecret = Closed(
  {
    secret: Type.String({ description: 'Shown this once.' }),
    previousSecretEndsAt: Instant('Until then the previous secret also signs.'),
  },
  { title: 'RotatedWebhookSecret' },
)
export const ChangedTypes = Closed({ types: Types, reason: Reason })
export const WithReason = Closed({ reason: Reason })
export const Changed = Closed({ changed: Type.Boolean({ description: 'False: it was so before.' }) })

export const EndpointParams = Closed({ endpointId: IdReference('The endpoint.') })
export const DeliveryParams = Closed({
  endpointId: IdReference('The endpoint.'),
  lane: Type.String({ minLength: 1, maxLength: 200, description: 'The fan, or `match:ID`.' }),
  sequence: Type.String({ pattern: '^[1-9][0-9]{0,15}$', description: 'Of the event within the lane.' }),
})

export const TestRequest = Closed({
  type: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Sends the example of this type.',
      examples: ['reward.claimed'],
    }),
  ),
})
export const TestResponse = Closed(
  {
    succeeded: Type.Boolean(),
    status: Nullable(Integer({ description: 'HTTP status; null without a complete response.' })),
    response: Type.String({ description: 'The first characters of the response, or why there is none.' }),
    tookMs: Type.Number(),
  },
  { title: 'WebhookTest' },
)

const attempt = {
  attemptedAt: Instant('When its result was stored.'),
  status: Nullable(Integer()),
  response: Type.String({ description: 'The first characters of the response, or why there was none.' }),
}

const delivery = {
  endpointId: Type.String(),
  lane: Type.String({ description: 'The fan, or `match:ID`.' }),
  sequence: Integer(),
  type: Type.String(),
  state: OneOf(DELIVERY_STATES),
  attempts: Integer({ description: 'Since it was recorded or sent again.' }),
  createdAt: Instant('When the event was recorded.'),
  nextAttemptAt: Nullable(Instant('Of a pending one. Those before it in its lane come first.')),
  last: Nullable(Closed(attempt), { description: 'The last attempt.' }),
}
export const DeliveryQuery = Closed({
  endpointId: Type.Optional(IdReference('To this endpoint.')),
  state: Type.Optional(OneOf(DELIVERY_STATES, { description: 'In this state.' })),
  type: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Of this type.' })),
  ...PageQuery,
})
export const DeliveryPage = Closed(
  { deliveries: Type.Array(Closed(delivery)), nextCursor: NextCursor },
  { title: 'WebhookDeliveryPage' },
)
export const Delivery = Closed(
  {
    ...delivery,
    messageId: Type.String({ description: '`webhook-id`: the same at every attempt.' }),
    body: Type.String({ description: 'What is signed and sent.' }),
    history: Type.Array(Closed(attempt), { description: 'The attempts that are kept, the oldest first.' }),
  },
  { title: 'WebhookDelivery' },
)

export const ReplayQuery = Closed({ since: InstantParameter('Of the first event.') })
export const ReplayCount = Closed({ deliveries: Integer({ description: 'Would be pending again.' }) })
export const Replay = Closed({ since: InstantInput('Of the first event.'), reason: Reason })
