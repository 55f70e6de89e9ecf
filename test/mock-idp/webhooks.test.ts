import { describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { createWorld, issuer } from './world.ts'

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`
const url = 'http://localhost:3000/api/webhooks/identity'

interface Received {
  id: string
  type: string
  timestamp: string
  data: Record<string, unknown>
}

/** A world whose webhooks go to a receiver that verifies signatures and responds with `status`. */
function createReceiver(options: { now?: () => number } = {}) {
  const received: Received[] = []
  const response = { status: 204 }
  const receive = async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(String(input), init)
    const body = await request.text()
    const headers = Object.fromEntries(request.headers)
    const payload = new Webhook(secret).verify(body, headers) as Omit<Received, 'id'>
    received.push({ id: headers['webhook-id'] ?? '', ...payload })
    if (response.status === 0) throw new TypeError('refused')
    return new Response(null, { status: response.status })
  }
  // The signature check uses the real clock, so the provider uses it here too.
  const world = createWorld({
    now: Date.now,
    ...options,
    fetch: Object.assign(receive, { preconnect: () => {} }),
  })
  const configure = (changes: object) => world.json('PUT', '/_mock/webhooks', { url, secret, ...changes })
  const rename = (name: string, sub = 'fan-0001') => world.json('PATCH', `/_mock/users/${sub}`, { name })
  const names = () => received.map(({ data }) => data.name)
  const state = () =>
    world.json<{ pending: number; deliveries: Record<string, unknown>[] }>('GET', '/_mock/webhooks')
  const flush = () => world.json<{ deliveries: unknown[]; pending: number }>('POST', '/_mock/webhooks/flush')
  return { ...world, received, response, configure, rename, names, state, flush }
}

test('a change is delivered, signed, with the user’s current claims', async () => {
  const { configure, rename, received, state } = createReceiver()
  await configure({})
  const user = (await rename('Ada')) as Record<string, unknown>
  expect(received).toHaveLength(1)
  expect(received[0]).toMatchObject({
    type: 'user.updated',
    data: { ...user, iss: issuer, sub: 'fan-0001', name: 'Ada' },
  })
  expect(received[0]?.timestamp).toBe(new Date(received[0]?.timestamp ?? '').toISOString())
  expect(await state()).toMatchObject({
    pending: 0,
    deliveries: [
      {
        webhookId: received[0]?.id,
        type: 'user.updated',
        sub: 'fan-0001',
        url,
        status: 204,
        delivered: true,
      },
    ],
  })
})

test('a deletion is delivered with a later updated_at than the last change', async () => {
  const { configure, rename, received, send } = createReceiver()
  await configure({})
  await rename('Ada')
  await send('DELETE', '/_mock/users/fan-0001')
  expect(received.map(({ type }) => type)).toEqual(['user.updated', 'user.deleted'])
  expect(Number(received[1]?.data.updated_at)).toBeGreaterThan(Number(received[0]?.data.updated_at))
  expect(received[1]?.data.sub).toBe('fan-0001')
})

test('without a url events are dropped', async () => {
  const { rename, received, state } = createReceiver()
  await rename('Ada')
  expect(received).toEqual([])
  expect(await state()).toMatchObject({ url: null, pending: 0, deliveries: [] })
})

describe('mode', () => {
  test('duplicate sends each event twice under one id', async () => {
    const { configure, rename, received } = createReceiver()
    await configure({ mode: 'duplicate' })
    await rename('Ada')
    expect(received).toHaveLength(2)
    expect(received[0]).toEqual(received[1] as Received)
  })

  test('reordered holds one until there are two, then sends newest first', async () => {
    const { configure, rename, names, state } = createReceiver()
    await configure({ mode: 'reordered' })
    await rename('first')
    expect(names()).toEqual([])
    expect((await state()).pending).toBe(1)
    await rename('second')
    expect(names()).toEqual(['second', 'first'])
  })

  test('flush delivers a single reordered event', async () => {
    const { configure, rename, names, flush } = createReceiver()
    await configure({ mode: 'reordered' })
    await rename('only')
    await flush()
    expect(names()).toEqual(['only'])
  })

  test('delayed holds events until the delay has passed on the clock', async () => {
    const { configure, rename, names, json } = createReceiver()
    await configure({ mode: 'delayed', delayMs: 60_000 })
    await rename('late')
    await json('POST', '/_mock/clock', { advanceMs: 30_000 })
    expect(names()).toEqual([])
    const { deliveries } = await json<{ deliveries: unknown[] }>('POST', '/_mock/clock', {
      advanceMs: 30_000,
    })
    expect(names()).toEqual(['late'])
    expect(deliveries).toHaveLength(1)
  })

  test('flush delivers delayed events at once', async () => {
    const { configure, rename, names, flush } = createReceiver()
    await configure({ mode: 'delayed', delayMs: 60_000 })
    await rename('late')
    await flush()
    expect(names()).toEqual(['late'])
  })

  test('paused keeps events in order until flush, which returns the attempts', async () => {
    const { configure, rename, names, flush, state } = createReceiver()
    await configure({ mode: 'paused' })
    await rename('first')
    await rename('second')
    expect(names()).toEqual([])
    expect((await state()).pending).toBe(2)
    expect(await flush()).toMatchObject({ pending: 0, deliveries: [{ status: 204 }, { status: 204 }] })
    expect(names()).toEqual(['first', 'second'])
  })
})

test('a failed delivery is retried on flush with the same id', async () => {
  const { configure, rename, received, response, flush, state } = createReceiver()
  await configure({})
  for (const status of [500, 0]) {
    response.status = status
    await rename(`failed with ${status}`)
  }
  expect(await state()).toMatchObject({
    pending: 2,
    deliveries: [{ status: 500 }, { status: null, delivered: false }],
  })
  response.status = 204
  expect(await flush()).toMatchObject({ pending: 0, deliveries: [{ delivered: true }, { delivered: true }] })
  expect(received[2]?.id).toBe(received[0]?.id ?? '')
  expect(received[3]?.id).toBe(received[1]?.id ?? '')
})

test('invalid settings are rejected', async () => {
  const { send } = createReceiver()
  for (const body of [
    { secret: 'plain' },
    { secret: 'whsec_c2hvcnQ=' },
    { url: 'ftp://localhost' },
    { url: 'http://user:pass@localhost' },
    { mode: 'chaotic' },
    { retries: 3 },
  ]) {
    expect((await send('PUT', '/_mock/webhooks', body)).status).toBe(400)
  }
})
