/** `verifyWebhook` of @matchday/backend: what it accepts, what it refuses and why, and that its types are true of what is sent. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type RequestHeaders, VerificationError, verifyWebhook, type WebhookMessage } from '@matchday/backend'
import type { Messages } from '@matchday/client'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { Webhook } from 'standardwebhooks'
import { seedDatabase } from '../../scripts/seed/seed.ts'
import { upsertMatch } from '../../src/club/matches/match-kind.ts'
import { updateMatch } from '../../src/club/matches/update-match.ts'
import { exampleMessage } from '../../src/delivery/webhooks/describe.ts'
import type { Dispatcher } from '../../src/delivery/webhooks/dispatcher.ts'
import { rotateSecret } from '../../src/delivery/webhooks/endpoints.ts'
import { testEndpoint } from '../../src/delivery/webhooks/test-endpoint.ts'
import { toRecordedEvent } from '../../src/economy/events/event.ts'
import { bodyOf } from '../../src/economy/events/message.ts'
import {
  APPLICATION,
  type ApplicationEventType,
  type DataOf,
  messageTypes,
} from '../../src/economy/events/types.ts'
import { type Receiver, startReceiver } from '../delivery/webhooks/receiver.ts'
import {
  addReceiver,
  dispatcherOf,
  drain,
  endpointOf,
  happen,
  newFan,
} from '../delivery/webhooks/webhooks-world.ts'
import { fetchDocument } from '../platform/docs/document.ts'
import { addPack, buy, expectStatus, patientFan } from '../play/packs/packs-world.ts'
import { refundPack } from '../play/packs/refund-pack.ts'
import { options } from '../scripts/seed/sixty-fans.ts'
import { createClock } from '../support/clock.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

/** Members of the data that every message of a fan has. */
type Envelope = 'userId' | 'sequence' | 'source' | 'eventId'
type Told<Type extends ApplicationEventType> = Omit<Messages[Type]['data'], Envelope>
/** The types whose message is not what the application declares. */
type Differing = {
  [Type in ApplicationEventType]: [Told<Type>, DataOf<Type>] extends [DataOf<Type>, Told<Type>] ? never : Type
}[ApplicationEventType]

const secretOf = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`
const [SECRET, OTHER] = [secretOf(1), secretOf(2)]
const NOW = new Date('2026-08-15T18:30:00.400Z')
const SECONDS = Math.floor(NOW.getTime() / 1000)
const ID = 'evt_01981e2c-7c1f-7000-8000-000000000003_7'
const body = JSON.stringify(exampleMessage('reward.claimed'))

/** As the server sends it, by the library of Standard Webhooks. */
const signed = (text: string, secret = SECRET, seconds = SECONDS, id = ID) => ({
  'webhook-id': id,
  'webhook-timestamp': String(seconds),
  'webhook-signature': new Webhook(secret).sign(id, new Date(seconds * 1000), text),
})

/** The code of the refusal; `accepted` without one. */
async function outcomeOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt
    return 'accepted'
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    expect([error.name, error.status]).toEqual(['VerificationError', expect.any(Number)])
    for (const secret of [SECRET, OTHER]) expect(error.message).not.toContain(secret.slice(6))
    return error.code
  }
}

describe('verifyWebhook', () => {
  test.each<[string, RequestHeaders]>([
    ['Headers', new Headers(signed(body))],
    ['headers of Node.js', { ...signed(body), 'set-cookie': ['a', 'b'], host: undefined }],
    [
      'headers in any case',
      Object.fromEntries(Object.entries(signed(body)).map(([name, value]) => [name.toUpperCase(), value])),
    ],
  ])('reads a message with %s', async (_, headers) => {
    const message = await verifyWebhook(body, headers, SECRET, { now: NOW })
    expect(message).toEqual({ kind: 'event', id: ID, ...JSON.parse(body) })
  })

  test('accepts a body as text and as bytes, with characters outside ASCII', async () => {
    const text = JSON.stringify({ type: 'shop.sale', data: { source: 'shop', data: { name: 'ليلى 🏆' } } })
    for (const given of [text, new TextEncoder().encode(text), Buffer.from(text)]) {
      const message = await verifyWebhook(given, signed(text), SECRET, { now: NOW })
      expect(message).toMatchObject({ kind: 'reported', data: { data: { name: 'ليلى 🏆' } } })
    }
  })

  test.each([
    ['by the second secret', [OTHER, SECRET], signed(body)['webhook-signature'], 'accepted'],
    ['by one of two signatures', SECRET, both(SECRET, OTHER), 'accepted'],
    ['by the other of two signatures', OTHER, both(SECRET, OTHER), 'accepted'],
    ['next to an unknown version', SECRET, `v2,AAAA ${both(OTHER, SECRET)}`, 'accepted'],
    ['next to invalid base64', SECRET, `v1,*** ${both(OTHER, SECRET)}`, 'accepted'],
    ['by another secret', OTHER, signed(body)['webhook-signature'], 'signature_mismatch'],
    ['cut short', SECRET, signed(body)['webhook-signature'].slice(0, -4), 'signature_mismatch'],
    ['without its version', SECRET, signed(body)['webhook-signature'].slice(3), 'signature_mismatch'],
    [
      'of another version',
      SECRET,
      signed(body)['webhook-signature'].replace('v1', 'v1a'),
      'signature_mismatch',
    ],
    ['of no bytes', SECRET, 'v1,', 'signature_mismatch'],
  ])('a message signed %s', async (_, secrets, signature, expected) => {
    const headers = { ...signed(body), 'webhook-signature': signature }
    expect(await outcomeOf(verifyWebhook(body, headers, secrets, { now: NOW }))).toBe(expected)
  })

  function both(...secrets: string[]) {
    return secrets.map(secret => signed(body, secret)['webhook-signature']).join(' ')
  }

  test.each([
    ['another body', `${body} `, {}],
    ['another id', body, { 'webhook-id': `${ID}0` }],
    ['another time', body, { 'webhook-timestamp': String(SECONDS + 1) }],
  ])('%s than was signed is refused', async (_, text, changed) => {
    const attempt = verifyWebhook(text, { ...signed(body), ...changed }, SECRET, { now: NOW })
    expect(await outcomeOf(attempt)).toBe('signature_mismatch')
  })

  test.each([
    [-300, 'accepted'],
    [300, 'accepted'],
    [-301, 'timestamp_outside_tolerance'],
    [301, 'timestamp_outside_tolerance'],
  ])('a message signed %i s from now: %s', async (seconds, expected) => {
    const headers = signed(body, SECRET, SECONDS + seconds)
    expect(await outcomeOf(verifyWebhook(body, headers, SECRET, { now: NOW }))).toBe(expected)
    const strict = verifyWebhook(body, headers, SECRET, { now: NOW, toleranceSeconds: 10 })
    expect(await outcomeOf(strict)).toBe('timestamp_outside_tolerance')
  })

  test('uses the clock of the machine', async () => {
    const now = Math.floor(Date.now() / 1000)
    expect(await outcomeOf(verifyWebhook(body, signed(body, SECRET, now), SECRET))).toBe('accepted')
    const old = verifyWebhook(body, signed(body, SECRET, now - 600), SECRET)
    expect(await outcomeOf(old)).toBe('timestamp_outside_tolerance')
  })

  test.each(['yesterday', '', '1e9', '-1', ' 1786818600', '1786818600.0', '9'.repeat(400)])(
    'a time of %j is refused',
    async text => {
      const headers = { ...signed(body), 'webhook-timestamp': text }
      const expected = text === '' ? 'headers_missing' : 'timestamp_outside_tolerance'
      expect(await outcomeOf(verifyWebhook(body, headers, SECRET, { now: NOW }))).toBe(expected)
    },
  )

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'a request without %s is refused, and the message names it',
    async name => {
      const headers = new Headers(signed(body))
      headers.delete(name)
      const attempt = verifyWebhook(body, headers, SECRET, { now: NOW })
      expect(await outcomeOf(attempt)).toBe('headers_missing')
      expect(attempt).rejects.toThrow(name)
      expect(await outcomeOf(verifyWebhook(body, Object.fromEntries(headers), SECRET, { now: NOW }))).toBe(
        'headers_missing',
      )
    },
  )

  test.each([
    '',
    'null',
    '[]',
    '{}',
    '{"type":1,"data":{}}',
    '{"type":"a.b","data":null}',
    '{"type":"a.b"',
    '7',
  ])('signed %j is no message', async text => {
    expect(await outcomeOf(verifyWebhook(text, signed(text), SECRET, { now: NOW }))).toBe(
      'message_unreadable',
    )
  })

  test('a wrong argument throws a TypeError with the reason', async () => {
    const attempt = (given: unknown, secrets: string | string[]) =>
      // What JavaScript can pass.
      verifyWebhook(given as string, signed(body), secrets, { now: NOW })
    expect(attempt(JSON.parse(body), SECRET)).rejects.toThrow(
      new TypeError(
        'Pass the body as it arrived, as text or bytes: JSON that was parsed has lost what is signed.',
      ),
    )
    for (const secret of ['', 'whsec_', 'whsec_***', SECRET.slice(6)])
      expect(attempt(body, secret)).rejects.toThrow(
        new TypeError('A secret is `whsec_` and base64, as `bun run webhooks add` prints it.'),
      )
    expect(attempt(body, [])).rejects.toThrow(new TypeError('Pass at least one secret of the endpoint.'))
  })

  test('the types of messages are those that the application declares, and narrow by kind and type', async () => {
    // Compiles only without one.
    const differing: Differing extends never ? [] : Differing = []
    expect(differing).toEqual([])
    const describeIt = (message: WebhookMessage): string => {
      if (message.kind === 'test') return 'test'
      if (message.kind === 'reported') return `${message.type} ${JSON.stringify(message.data.data)}`
      switch (message.type) {
        case 'reward.claimed':
          return message.data.rewardId
        case 'match.updated':
          return message.data.matchId
        default:
          return message.data.userId
      }
    }
    expect(describeIt(await verifyWebhook(body, signed(body), SECRET, { now: NOW }))).toBe('example')
  })
})

onEngine(sqliteEngine, 'Messages that Matchday sends', world => {
  let receiver: Receiver
  let dispatcher: Dispatcher
  let problemsOf: (message: WebhookMessage) => unknown

  beforeAll(async () => {
    const document = await fetchDocument(world)
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats(ajv)
    ajv.addSchema({ $id: 'http://localhost/openapi', ...document })
    const names = Object.entries(document.components.schemas).flatMap(([name, { properties }]) => {
      const { type } = (properties ?? {}) as { type?: { const?: string } }
      return name.endsWith('Message') ? [[type?.const ?? 'other', name] as const] : []
    })
    const nameOf = new Map<string, string>(names)
    problemsOf = ({ kind, id: _, ...message }) => {
      const name = kind === 'reported' ? 'OtherMessage' : nameOf.get(message.type)
      const validate = ajv.getSchema(`http://localhost/openapi#/components/schemas/${name}`)
      return validate?.(message) ? null : (validate?.errors ?? 'no schema')
    }
  })
  beforeEach(() => {
    receiver = startReceiver()
    dispatcher = dispatcherOf(world)
  })
  afterEach(async () => {
    await dispatcher.stop()
    await receiver.stop()
  })

  const readAll = (secret: string) =>
    Promise.all(
      receiver.received.map(({ text, headers }) =>
        verifyWebhook(text, headers, secret, { now: world.clock.now() }),
      ),
    )

  test('of a season match their types', async () => {
    const season = await sqliteEngine.open(createClock())
    await seedDatabase(season.db, { ...options, fans: 240 })
    const rows = await season.db.read.select().from(season.db.tables.events)
    const found = new Set<string>()
    for (const row of rows) {
      const event = toRecordedEvent(row)
      if (event === null) continue
      const text = bodyOf(event)
      const message = await verifyWebhook(text, signed(text), SECRET, { now: NOW })
      const isOwn = event.source === APPLICATION
      expect(message.kind).toBe(isOwn ? 'event' : 'reported')
      expect([message.type, problemsOf(message)]).toEqual([message.type, null])
      if (isOwn) found.add(message.type)
    }
    await season.remove()
    expect(found.size).toBeGreaterThan(20)
    expect([...found].filter(type => !messageTypes.includes(type))).toEqual([])
  })

  test('of fans and of other systems match their types', async () => {
    const { secret } = await addReceiver(world, receiver, ['*'])
    const [fan, favoriteTeamId] = [await patientFan(world, 50), await world.team()]
    const whole = { displayName: 'Ada', avatarUrl: 'https://images.example.com/ada.png', bio: 'North stand.' }
    const handle = `h${crypto.randomUUID().slice(0, 8)}`
    expectStatus(
      200,
      await fan.post('/api/user/profile', {
        ...whole,
        country: 'GB',
        locale: 'en-GB',
        favoriteTeamId,
        handle,
      }),
    )
    const packId = await addPack(world, { price: { amount: 30, currency: 'POINTS' } })
    const { id: purchaseId } = await buy(fan, packId)
    await world.db.write(tx => refundPack(tx, purchaseId))
    const other = await newFan(world)
    await happen(world, other, { type: 'shop.purchase', source: 'shop', data: { amount: 1_250 } })
    await happen(world, other, { type: 'shop.purchase', source: 'shop', data: { note: 'é'.repeat(10_240) } })
    await drain(world, dispatcher)
    const messages = await readAll(secret)
    for (const message of messages) expect([message.type, problemsOf(message)]).toEqual([message.type, null])
    const types = messages.map(({ kind, type }) => `${kind} ${type}`)
    expect(new Set(types)).toEqual(
      new Set([
        'event profile.completed',
        'event points.changed',
        'event purchase.completed',
        'event purchase.refunded',
        'reported shop.purchase',
      ]),
    )
    const reported = messages.flatMap(message => (message.kind === 'reported' ? [message.data] : []))
    expect(reported).toMatchObject([{ data: { amount: 1_250 } }, { truncated: true }])
    expect(reported[1]).not.toHaveProperty('data')
  })

  test('of a match match their type', async () => {
    const { secret } = await addReceiver(world, receiver, ['match.*'])
    const [homeTeamId, awayTeamId, id] = [await world.team(), await world.team(), crypto.randomUUID()]
    const kickoffAt = '2026-08-15T18:30:00.000Z'
    const match = { id, homeTeamId, awayTeamId, competition: 'League', season: '2026/27', kickoffAt }
    await world.db.write(tx => upsertMatch(tx, match))
    await world.db.write(tx =>
      updateMatch(tx, id, { revision: 2, status: 'live', kickoffAt, homeScore: 1, awayScore: 0 }),
    )
    await drain(world, dispatcher)
    const [message] = await readAll(secret)
    expect(message).toMatchObject({
      kind: 'event',
      type: 'match.updated',
      data: { matchId: id, homeScore: 1 },
    })
    expect(message && problemsOf(message)).toBeNull()
  })

  test('of `bun run webhooks test` are not events', async () => {
    const { id, secret } = await addReceiver(world, receiver, ['*'])
    const testing = { ...world.deps, newId: () => crypto.randomUUID(), now: () => world.clock.now() }
    for (const type of [undefined, 'reward.claimed'])
      expect(await testEndpoint(testing, await endpointOf(world, id), type)).toMatchObject({ status: 204 })
    expect((await readAll(secret)).map(({ kind, type }) => [kind, type])).toEqual([
      ['test', 'webhook.test'],
      ['test', 'reward.claimed'],
    ])
  })

  test('are accepted with either secret for 24 hours after a rotation', async () => {
    const { id, secret } = await addReceiver(world, receiver, ['*'])
    const fresh = (await world.db.write(tx => rotateSecret(tx, world.deps.webhookSecrets, id))) ?? ''
    const fan = await newFan(world)
    await happen(world, fan)
    await drain(world, dispatcher)
    for (const given of [secret, fresh, [fresh, secret]])
      for (const { text, headers } of receiver.received)
        expect(await outcomeOf(verifyWebhook(text, headers, given, { now: world.clock.now() }))).toBe(
          'accepted',
        )
    world.clock.advance(86_400_000)
    receiver.received.length = 0
    await happen(world, fan)
    await drain(world, dispatcher)
    const [{ text, headers }] = receiver.received as [(typeof receiver.received)[number]]
    const at = { now: world.clock.now() }
    expect(await outcomeOf(verifyWebhook(text, headers, fresh, at))).toBe('accepted')
    expect(await outcomeOf(verifyWebhook(text, headers, secret, at))).toBe('signature_mismatch')
  })
})
