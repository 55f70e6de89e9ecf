/** Apple's push service, in the documented shapes, by a server of HTTP/2 on this machine. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import { createApns } from '../../../src/delivery/push/apns.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const config = { key, keyId: 'KEY1234567', teamId: 'TEAM123456', topic: 'example.club.app', sandbox: true }

const REFUSALS: Record<string, [status: number, reason: string]> = {
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
  down: [503, 'ServiceUnavailable'],
}

let server: Http2Server
let sessions = 0
interface Received {
  path: string
  headers: Record<string, unknown>
  body: string
}
const got: Received[] = []
const NOTHING: Received = { path: '', headers: {}, body: '' }

beforeAll(async () => {
  server = createServer()
  server.on('session', () => void sessions++)
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    let body = ''
    stream.setEncoding('utf8')
    stream.on('data', part => {
      body += part
    })
    stream.on('end', () => {
      const path = String(headers[':path'])
      got.push({ path, headers, body })
      const device = path.split('/').at(-1) ?? ''
      if (device === 'hang') return
      const [status, reason] = REFUSALS[device] ?? [200, '']
      stream.respond({ ':status': status, ...(device === 'down' ? { 'retry-after': '30' } : {}) })
      stream.end(reason === '' ? '' : JSON.stringify({ reason }))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void server.close())

// Guarantee of the cast: it listens on a port.
const originOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const message = {
  ...{ id: 'm', category: 'match', title: 'Goal', body: '1:0', url: '/m' },
  ...{ imageUrl: null, tag: 't' },
}

function apnsAt(time = { ms: Date.UTC(2026, 7, 15) }, origin = originOf()) {
  const send = createApns({ apns: config, origin, now: () => new Date(time.ms) })
  return (device: string, more: object = {}, signal = new AbortController().signal) =>
    send(device, { ...message, ...more }, signal)
}
const lastTo = (device: string) => got.findLast(({ path }) => path === `/3/device/${device}`)

test('sends messages over one connection, by a shared token of the signing key', async () => {
  const before = sessions
  const to = apnsAt()
  expect(await Promise.all(['a1', 'a2', 'a3'].map(device => to(device)))).toEqual(
    Array(3).fill({ outcome: 'sent', status: 200 }),
  )
  expect(sessions - before).toBe(1)
  const { headers, body } = lastTo('a1') ?? NOTHING
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
  const { payload } = await jwtVerify(token, publicKey)
  expect(payload).toEqual({ iss: 'TEAM123456', iat: Date.UTC(2026, 7, 15) / 1_000 })
  expect(lastTo('a3')?.headers.authorization).toBe(headers.authorization)
})

test('renews the token after 50 minutes, and after Apple has called it expired', async () => {
  const time = { ms: Date.UTC(2026, 7, 15) }
  const to = apnsAt(time)
  const tokenOf = async () => {
    await to('b1')
    return lastTo('b1')?.headers.authorization
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
  const { body } = lastTo('d1') ?? NOTHING
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
