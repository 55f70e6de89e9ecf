/** Apple's push service, in the documented shapes, by a server of HTTP/2 on this machine. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import { serveApple } from './apple-double.ts'

const REFUSALS = {
  gone: [410, 'Unregistered'],
  unknown: [400, 'BadDeviceToken'],
  topic: [400, 'DeviceTokenNotForTopic'],
  old: [403, 'ExpiredProviderToken'],
  wrong: [403, 'InvalidProviderToken'],
  missing: [403, 'MissingProviderToken'],
  'bad-topic': [400, 'BadTopic'],
  disallowed: [400, 'TopicDisallowed'],
  updates: [429, 'TooManyProviderTokenUpdates'],
  large: [413, 'PayloadTooLarge'],
  busy: [429, 'TooManyRequests'],
  down: [503, 'ServiceUnavailable', { 'retry-after': '30' }],
} as const

let apple: Awaited<ReturnType<typeof serveApple>>
beforeAll(async () => {
  apple = await serveApple(new Map(Object.entries({ ...REFUSALS, hang: 'hang' as const })))
})
afterAll(() => apple.close())

const message = {
  ...{ id: 'm', category: 'match', title: 'Goal', body: '1:0', url: '/m' },
  ...{ imageUrl: null, tag: 't' },
}

function apnsAt(time = { ms: Date.UTC(2026, 7, 15) }, origin = apple.origin) {
  const send = apple.sender(() => new Date(time.ms), origin)
  return (device: string, more: object = {}, signal = new AbortController().signal) =>
    send(device, { ...message, ...more }, signal)
}
const NOTHING: ReturnType<typeof apple.to>[number] = { path: '', headers: {}, body: '' }
const lastTo = (device: string) => apple.to(device).at(-1) ?? NOTHING

test('sends messages over one connection, by a shared token of the signing key', async () => {
  const before = apple.counts.sessions
  const to = apnsAt()
  expect(await Promise.all(['a1', 'a2', 'a3'].map(device => to(device)))).toEqual(
    Array(3).fill({ outcome: 'sent', status: 200 }),
  )
  expect(apple.counts.sessions - before).toBe(1)
  const { headers, body } = lastTo('a1')
  expect(headers).toMatchObject({
    ...{ ':method': 'POST', 'apns-topic': 'example.club.app', 'apns-push-type': 'alert' },
    ...{ 'apns-priority': '10', 'apns-collapse-id': 't' },
    'apns-expiration': String(Date.UTC(2026, 7, 16) / 1_000),
  })
  expect(JSON.parse(body)).toEqual({
    aps: { alert: { title: 'Goal', body: '1:0' }, sound: 'default', 'thread-id': 'match' },
    ...{ messageId: 'm', category: 'match', url: '/m' },
  })
  const token = String(headers.authorization).replace('bearer ', '')
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', kid: 'KEY1234567' })
  const { payload } = await jwtVerify(token, apple.publicKey)
  expect(payload).toEqual({ iss: 'TEAM123456', iat: Date.UTC(2026, 7, 15) / 1_000 })
  expect(lastTo('a3').headers.authorization).toBe(headers.authorization)
})

test('renews the token after 50 minutes, and after Apple has called it expired', async () => {
  const time = { ms: Date.UTC(2026, 7, 15) }
  const to = apnsAt(time)
  const tokenOf = async () => {
    await to('b1')
    return lastTo('b1').headers.authorization
  }
  const first = await tokenOf()
  time.ms += 49 * 60_000
  expect(await tokenOf()).toBe(first)
  time.ms += 60_000
  const second = await tokenOf()
  expect(second).not.toBe(first)
  time.ms += 60_000
  expect(await to('old')).toEqual({ outcome: 'retry', status: 403 })
  expect(await tokenOf()).not.toBe(second)
})

test.each([
  ['gone', { outcome: 'gone', status: 410 }],
  ['topic', { outcome: 'wrong', status: 400, refusal: 'DeviceTokenNotForTopic' }],
  ['wrong', { outcome: 'wrong', status: 403, refusal: 'InvalidProviderToken' }],
  ['missing', { outcome: 'wrong', status: 403, refusal: 'MissingProviderToken' }],
  ['bad-topic', { outcome: 'wrong', status: 400, refusal: 'BadTopic' }],
  ['disallowed', { outcome: 'wrong', status: 400, refusal: 'TopicDisallowed' }],
  ['updates', { outcome: 'retry', status: 429 }],
  ['large', { outcome: 'wrong', status: 413, refusal: 'PayloadTooLarge' }],
  ['busy', { outcome: 'retry', status: 429 }],
  ['down', { outcome: 'retry', status: 503, retryAfter: 30 }],
] as const)('reads what Apple answers about a device: %s', async (device, expected) => {
  expect(await apnsAt()(device)).toMatchObject(expected)
})

test.each([
  ['unknown', 'BadDeviceToken'],
  ['topic', 'DeviceTokenNotForTopic'],
])('takes a refused token as gone only after another one was accepted: %s', async (device, refusal) => {
  const to = apnsAt()
  expect(await to(device)).toMatchObject({ outcome: 'wrong', refusal })
  await to('c1')
  expect(await to(device)).toEqual({ outcome: 'gone', status: 400 })
})

test('cuts a body that is too long', async () => {
  expect(await apnsAt()('d1', { body: 'ü'.repeat(4_000) })).toMatchObject({ outcome: 'sent' })
  const { body } = lastTo('d1')
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(4_096)
  expect(JSON.parse(body).aps.alert.body).toEndWith('ü…')
})

test('ends an attempt that is cancelled, and connects again after a failure', async () => {
  const to = apnsAt()
  const cancelled = new AbortController()
  const hanging = to('hang', {}, cancelled.signal)
  const other = await to('e1')
  cancelled.abort()
  expect([await hanging.catch(() => 'cancelled'), other.outcome]).toEqual(['cancelled', 'sent'])
  expect(await to('e2')).toMatchObject({ outcome: 'sent' })
  const nobody = createServer()
  await new Promise<void>(resolve => nobody.listen(0, '127.0.0.1', resolve))
  // Guarantee of the cast: it listens on a port.
  const { port } = nobody.address() as AddressInfo
  await new Promise(resolve => nobody.close(resolve))
  const unreachable = apnsAt(undefined, `http://127.0.0.1:${port}`)
  for (const _ of [1, 2]) expect(await unreachable('f1').catch(() => 'failed')).toBe('failed')
})

test('starts, updates and ends a Live Activity, in the documented shapes', async () => {
  const state = {
    status: 'live',
    homeScore: 1,
    awayScore: 0,
    minute: 12,
    kickoffAt: '2026-08-15T18:30:00.000Z',
  }
  const attributes = { matchId: 'home-away', homeTeam: 'Home', awayTeam: 'Away' }
  const changedAt = '2026-08-15T18:42:30.500Z'
  const to = apnsAt()
  const show = async (more: object) => {
    const activity = { changedAt, state, attributes, staleAt: null, dismissAt: null, ...more }
    expect(await to('live', { title: 'Home – Away', body: 'It has begun.', activity })).toMatchObject({
      outcome: 'sent',
    })
    const { headers, body } = lastTo('live')
    expect(headers).toMatchObject({
      'apns-push-type': 'liveactivity',
      'apns-topic': 'example.club.app.push-type.liveactivity',
      'apns-priority': '10',
    })
    expect(headers).not.toHaveProperty('apns-collapse-id')
    return JSON.parse(body)
  }
  const timestamp = Date.UTC(2026, 7, 15, 18, 42, 30) / 1_000
  const common = { timestamp, 'content-state': state }
  const at = '2026-08-15T20:42:30.000Z'
  const seconds = Date.UTC(2026, 7, 15, 20, 42, 30) / 1_000
  expect(await show({ event: 'start', staleAt: at })).toEqual({
    aps: {
      ...{ ...common, event: 'start', 'stale-date': seconds },
      ...{ 'attributes-type': 'MatchAttributes', attributes },
      alert: { title: 'Home – Away', body: 'It has begun.', sound: 'default' },
    },
  })
  expect(await show({ event: 'update', staleAt: at })).toEqual({
    aps: { ...common, event: 'update', 'stale-date': seconds },
  })
  expect(await show({ event: 'end', dismissAt: at })).toEqual({
    aps: { ...common, event: 'end', 'dismissal-date': seconds },
  })
})
