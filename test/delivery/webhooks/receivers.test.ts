/** Receivers that misbehave: none delays another, and none costs more than its deadline and 16 KiB. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { brotliCompressSync } from 'node:zlib'
import type { FaultInput } from '../../../mock-idp/faults/fault.ts'
import { createGuardedFetch } from '../../../src/core/ssrf-guard.ts'
import type { Dispatcher } from '../../../src/delivery/webhooks/dispatcher.ts'
import { nextTurn, waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import {
  addReceiver,
  deliveriesOf,
  dispatcherOf,
  drain,
  endpointOf,
  happen,
  newFan,
  removeEndpoints,
} from './webhooks-world.ts'

const SHORT = { attemptMs: 200 }
const LONG = { attemptMs: 60_000 }

onEachEngine('Receivers of webhooks', world => {
  let bad: Receiver
  let good: Receiver
  let dispatcher: Dispatcher

  beforeEach(() => {
    bad = startReceiver()
    good = startReceiver()
  })
  afterEach(async () => {
    await dispatcher.stop()
    await bad.stop()
    await good.stop()
    await removeEndpoints(world)
  })

  type Fault = Omit<FaultInput, 'match'>

  test.each<[string, Fault]>([
    ['hangs', { kind: 'hang' }],
    ['sends its response byte by byte', { kind: 'drip', delayMs: 20 }],
  ])('a receiver that %s for an hour does not delay another endpoint', async (_, fault) => {
    bad.behave(() => fault)
    await addReceiver(world, bad, ['*'])
    await addReceiver(world, good, ['*'])
    dispatcher = dispatcherOf(world, LONG)
    // More fans than may be in flight at once.
    const fans = await Promise.all(Array.from({ length: 40 }, () => newFan(world)))
    for (const fan of fans) await happen(world, fan)
    await waitUntil('the other endpoint has everything', () => good.received.length === fans.length)
    await waitUntil('the limit is reached', () => bad.received.length === 32)
    expect(bad.received).toHaveLength(32)
  })

  test.each<[string, Fault, { attemptMs: number }, { status: number | null; response?: string }]>([
    ['hangs', { kind: 'hang' }, SHORT, { status: null, response: 'no complete response within 0.2 s' }],
    ['sends its response byte by byte', { kind: 'drip', delayMs: 20 }, SHORT, { status: null }],
    ['breaks the connection', { kind: 'reset' }, LONG, { status: null }],
    ['responds with an error', { kind: 'status', status: 500 }, LONG, { status: 500 }],
    ['redirects', { kind: 'redirect' }, LONG, { status: 302, response: '' }],
  ])('an attempt fails if the receiver %s', async (_, fault, deadline, expected) => {
    bad.behave(() => fault)
    const { id } = await addReceiver(world, bad, ['*'])
    dispatcher = dispatcherOf(world, deadline)
    await happen(world, await newFan(world))
    await drain(world, dispatcher)
    expect(await deliveriesOf(world, id)).toMatchObject([{ state: 'pending', attempts: 1, ...expected }])
  })

  test.each([
    ['a code', { code: 'ECONNREFUSED' }, 'the connection failed: ECONNREFUSED'],
    ['no code', {}, 'the connection failed'],
    ['a number as code', { code: 7 }, 'the connection failed'],
    ['the URL as code', { code: 'https://hooks.example.com/?key=s3cret' }, 'the connection failed'],
    ['a code that is too long', { code: 'X'.repeat(61) }, 'the connection failed'],
  ])('an error with %s is stored as a text of ours, without its message', async (_, members, response) => {
    const error = Object.assign(new Error('cannot reach https://hooks.example.com/?key=s3cret'), members)
    const { id } = await addReceiver(world, good, ['*'])
    dispatcher = dispatcherOf(world, { webhookFetch: () => Promise.reject(error) })
    await happen(world, await newFan(world))
    await drain(world, dispatcher)
    expect(await deliveriesOf(world, id)).toMatchObject([{ status: null, response }])
    expect(world.logged.join()).not.toContain('s3cret')
  })

  test.each([
    ['429 and Retry-After', { status: 429, headers: { 'retry-after': '60' } }, 60_000],
    ['503 and Retry-After', { status: 503, headers: { 'retry-after': '60' } }, 60_000],
    ['429 alone', { status: 429 }, 30_000],
  ])('%s pause the whole endpoint, and no other one', async (_, response, pauseMs) => {
    bad.behave(() => new Response(null, response))
    const { id } = await addReceiver(world, bad, ['*'])
    await addReceiver(world, good, ['*'])
    dispatcher = dispatcherOf(world, LONG)
    const fans = await Promise.all(Array.from({ length: 100 }, () => newFan(world)))
    for (const fan of fans) await happen(world, fan)
    await waitUntil('the other endpoint has everything', async () => {
      await dispatcher.poll()
      return good.received.length === fans.length
    })
    await waitUntil('the endpoint is paused', async () => (await endpointOf(world, id)).pausedUntil !== null)
    // Requests that were sent at the same time.
    const asked = bad.received.length
    expect(asked).toBeLessThanOrEqual(64)
    bad.behave(undefined)
    world.clock.advance(pauseMs - 1_000)
    await dispatcher.poll()
    expect(bad.received).toHaveLength(asked)
    world.clock.advance(1_000)
    await waitUntil('all are sent after the pause', async () => {
      await dispatcher.poll()
      world.clock.advance(1_000)
      return new Set(bad.order()).size === fans.length
    })
  })

  test('a redirect is not followed', async () => {
    bad.behave(() => ({ kind: 'redirect', location: good.url }))
    await addReceiver(world, bad, ['*'])
    dispatcher = dispatcherOf(world)
    await happen(world, await newFan(world))
    await drain(world, dispatcher)
    expect([bad.received.length, good.received.length]).toEqual([1, 0])
  })

  test('an endless response is read to 16 KiB, and its status counts', async () => {
    const sent = { bytes: 0, cancelled: false }
    bad.behave(
      () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              await nextTurn()
              sent.bytes += 4_096
              controller.enqueue(new Uint8Array(4_096).fill(0x61))
            },
            cancel() {
              sent.cancelled = true
            },
          }),
        ),
    )
    const { id } = await addReceiver(world, bad, ['*'])
    dispatcher = dispatcherOf(world, LONG)
    await happen(world, await newFan(world))
    await drain(world, dispatcher)
    expect(await deliveriesOf(world, id)).toMatchObject([
      { state: 'delivered', status: 200, response: 'a'.repeat(500) },
    ])
    await waitUntil('the receiver learns that nobody reads on', () => sent.cancelled)
    expect(sent.bytes).toBeLessThan(4 * 1024 * 1024)
  })

  test('a compressed response is not expanded', async () => {
    const bomb = brotliCompressSync(Buffer.alloc(16 * 1024 * 1024, ' '))
    bad.behave(() => new Response(bomb, { headers: { 'content-encoding': 'br' } }))
    const { id } = await addReceiver(world, bad, ['*'])
    dispatcher = dispatcherOf(world)
    await happen(world, await newFan(world))
    await drain(world, dispatcher)
    expect(await deliveriesOf(world, id)).toMatchObject([{ state: 'delivered', response: '(compressed)' }])
  })

  test('a response is stored as text that a terminal and PostgreSQL accept', async () => {
    const bytes = new Uint8Array([0x61, 0x00, 0x1b, 0x5b, 0x32, 0x4a, 0xff, 0x62, 0x0a])
    bad.behave(() => new Response(bytes, { status: 500 }))
    const { id } = await addReceiver(world, bad, ['*'])
    dispatcher = dispatcherOf(world)
    await happen(world, await newFan(world))
    await drain(world, dispatcher)
    expect(await deliveriesOf(world, id)).toMatchObject([{ response: 'a  [2J\ufffdb' }])
  })

  describe('in production', () => {
    /** Resolves to one address first, and to another one later. */
    function guarded(addresses: string[][]) {
      const connected: string[] = []
      const resolve = async () => addresses.shift() ?? []
      const transport = async (url: string) => {
        connected.push(url)
        return new Response(null, { status: 204 })
      }
      const webhookFetch = createGuardedFetch({ publicOnly: true, resolve, transport })
      dispatcher = dispatcherOf(world, { webhookFetch })
      return connected
    }

    test.each([
      ['the loopback', '127.0.0.1'],
      ['a private network', '10.1.2.3'],
      ['a link-local address', '169.254.169.254'],
    ])('nothing is sent to a name that resolves to %s', async (_, address) => {
      const connected = guarded([[address]])
      const { id } = await addReceiver(world, { ...bad, url: 'https://hooks.example.com/' }, ['*'])
      await happen(world, await newFan(world))
      await drain(world, dispatcher)
      expect(connected).toEqual([])
      expect(await deliveriesOf(world, id)).toMatchObject([
        { state: 'pending', status: null, response: 'its address is not permitted' },
      ])
    })

    test('a name that resolves to an internal address after the check is requested at the address that was checked', async () => {
      const connected = guarded([['8.8.8.8'], ['127.0.0.1']])
      const { id } = await addReceiver(world, { ...bad, url: 'https://hooks.example.com/' }, ['*'])
      const fan = await newFan(world)
      await happen(world, fan)
      await drain(world, dispatcher)
      await happen(world, fan)
      await drain(world, dispatcher)
      expect(connected).toEqual(['https://8.8.8.8/'])
      expect((await deliveriesOf(world, id)).map(({ state }) => state)).toEqual(['delivered', 'pending'])
    })
  })
})
