/** Schemas of devices. */
import { Closed, IdReference, Instant, Integer, Nullable, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'

const DEVICE_KINDS = ['webpush', 'fcm', 'apns', 'live_activity'] as const
export type DeviceKind = (typeof DEVICE_KINDS)[number]

const exampleDeviceId = 'e7c4f0d2-6a1b-4b8e-9f3a-2d5c8b7a6e10'

const DeviceId = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[A-Za-z0-9._:-]+$',
    description,
    errorNoun: 'at most 100 of A-Z, a-z, 0-9, ., _, : and -',
    examples: [exampleDeviceId],
  })

const Kind = OneOf(DEVICE_KINDS, {
  description:
    '`webpush`: a browser. `fcm`: Firebase Cloud Messaging. `apns`: Apple. `live_activity`: a Live Activity of iOS.',
})

export const DeviceParams = Closed({ deviceId: DeviceId('Chosen by the app, and kept by it.') })

const Key = (bytes: number, description: string, example: string) =>
  Type.String({
    pattern: `^[A-Za-z0-9_-]{${Math.ceil((bytes * 8) / 6)}}={0,2}$`,
    description,
    errorNoun: `${bytes} bytes in base64url`,
    examples: [example],
  })

const exampleSubscription = {
  endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABk',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
}

const Subscription = Closed(
  {
    endpoint: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'A URL of the push service. In production it is https and public.',
      examples: [exampleSubscription.endpoint],
    }),
    expirationTime: Type.Optional(
      Nullable(Integer({ minimum: 0 }), { description: 'Ignored: a dead subscription is removed.' }),
    ),
    keys: Closed(
      {
        p256dh: Key(65, 'The public key of the browser.', exampleSubscription.keys.p256dh),
        auth: Key(16, 'The secret of the browser.', exampleSubscription.keys.auth),
      },
      { description: 'With which pushes are encrypted.' },
    ),
  },
  { title: 'PushSubscriptionInput', description: 'What `subscription.toJSON()` of a browser returns.' },
)

export const DeviceInput = Closed({
  kind: Kind,
  token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      pattern: '^[A-Za-z0-9_:=-]+$',
      description: 'The token of the device. Required, except for `webpush`.',
      errorNoun: 'a token: at most 4096 of A-Z, a-z, 0-9, _, :, = and -',
      examples: ['740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad'],
    }),
  ),
  subscription: Type.Optional(Subscription),
  matchId: Type.Optional(
    Nullable(IdReference('The match that a Live Activity shows.', 'lisbon-porto'), {
      description:
        'Only for `live_activity`. Without it the token starts Live Activities for matches of the favourite team.',
    }),
  ),
})
export type DeviceInput = Static<typeof DeviceInput>

export const Device = Closed(
  {
    deviceId: Type.String({ description: 'Chosen by the app.', examples: [exampleDeviceId] }),
    kind: Kind,
    matchId: Nullable(Type.String(), { description: 'The match that a Live Activity shows.' }),
    createdAt: Instant('When it was registered first.'),
    lastUsedAt: Instant('When the app registered it last.'),
  },
  { title: 'Device' },
)

export const Devices = Closed(
  {
    devices: Type.Array(Device, { description: 'The oldest first.' }),
    vapidPublicKey: Nullable(Type.String(), {
      description:
        'The `applicationServerKey` for subscriptions of browsers. Null: the club sends no Web Push.',
    }),
  },
  { title: 'Devices' },
)

export const exampleInput = { kind: 'webpush' as const, subscription: exampleSubscription }

export const exampleDevice = {
  deviceId: exampleDeviceId,
  kind: 'webpush' as const,
  matchId: null,
  createdAt: '2026-08-15T18:30:00.000Z',
  lastUsedAt: '2026-08-15T18:30:00.000Z',
}
