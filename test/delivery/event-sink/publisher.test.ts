/** The event sink with a real NATS server, and with a server that does not accept messages. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { updateMatch } from '../../../src/club/matches/update-match.ts'
import { readSinkBacklog } from '../../../src/delivery/event-sink/backlog.ts'
import { STREAM } from '../../../src/delivery/event-sink/nats.ts'
import type { Publisher } from '../../../src/delivery/event-sink/publisher.ts'
import { LEASE_MS, openSink, storePosition, takeLease } from '../../../src/delivery/event-sink/sink.ts'
import { messageId } from '../../../src/delivery/webhooks/deliveries.ts'
import { addEndpoint } from '../../../src/delivery/webhooks/endpoints.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { type NatsServer, natsBinary, startNatsServer, withoutNats } from '../../support/nats-server.ts'
import { freePort } from '../../support/processes.ts'
import { readLines } from '../../support/read-lines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { deliveriesOf, distributeAll, happen, newFan, removeEndpoints } from '../webhooks/webhooks-world.ts'
import { publisherOf, sinkRow } from './sink-world.ts'

/** No test waits for this: only a signal ends sooner what hangs. */
const FOR_EVER = { timeoutMs: 3_600_000 }
const MINUTE = 60_000

const guide = await Bun.file(`${import.meta.dir}/../../../docs/event-sink.md`).text()
const documentedConsumer = /```ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''

/** The first lines that a program prints. */
async function linesOf(program: string, env: Record<string, string>, count: number): Promise<string[]> {
  const child = Bun.spawn([process.execPath, '-e', program], { env, stdin: 'ignore', stdout: 'pipe' })
  const lines: string[] = []
  for await (const line of readLines(child.stdout)) {
    lines.push(line)
    if (lines.length === count) break
  }
  child.kill()
  await child.exited
  return lines
}

describe.skipIf(!natsBinary)(`Event sink${withoutNats}`, () => {
  let nats: NatsServer
  beforeAll(async () => {
    nats = await startNatsServer(natsBinary ?? '')
  })
  afterAll(() => nats.remove())

  onEachEngine(
    'Event sink',
    world => {
      let publishers: Publisher[]
      beforeEach(() => {
        publishers = []
      })
      afterEach(async () => {
        for (const publisher of publishers) await publisher.stop()
        await removeEndpoints(world)
        await world.db.write(tx => tx.delete(tx.tables.eventSinks))
        await nats.streams(async manager => {
          for await (const { config } of manager.streams.list()) await manager.streams.delete(config.name)
        })
        world.logged.length = 0
      })

      function publisher(url = nats.url, options?: { timeoutMs: number }): Publisher {
        const made = publisherOf(world, url, options)
        publishers.push(made)
        return made
      }
      /** A sink that publishes from now on. */
      async function opened(...how: Parameters<typeof publisher>): Promise<Publisher> {
        const made = publisher(...how)
        await made.poll()
        return made
      }
      const logs = (message: string) => world.logged.filter(line => line.includes(`"msg":"${message}"`))
      const ids = async (filter?: string) => (await nats.messages(STREAM, filter)).map(({ id }) => id)

      test('publishes every event with the message id and the body of its webhook delivery, each fan in order', async () => {
        const endpoint = { url: 'http://127.0.0.1:9/hooks', types: ['*'] }
        const { id } = await world.db.write(tx => addEndpoint(tx, world.deps.webhookSecrets, endpoint))
        const sink = await opened()
        const fans = await Promise.all([1, 2, 3].map(() => newFan(world)))
        for (let n = 0; n < 50; n++)
          for (const fan of fans)
            await happen(
              world,
              fan,
              n % 2 ? { source: 'shop', type: 'shop.purchase', data: { n, 7: 'é' } } : {},
            )
        await distributeAll(world)
        await sink.poll()
        const deliveries = await deliveriesOf(world, id)
        expect(deliveries).toHaveLength(150)
        const expected = deliveries.map(({ userId, sequence, type, body }) => {
          return {
            subject: `matchday.events.${userId}.${type}`,
            id: messageId({ lane: userId, sequence }),
            body,
          }
        })
        const byFan = (fan: string) => nats.messages(STREAM, `matchday.events.${fan}.>`)
        for (const fan of fans)
          expect(await byFan(fan)).toEqual(expected.filter(({ id }) => id.includes(fan)))
        expect(await ids()).toHaveLength(150)
        expect(await readSinkBacklog(world.db.read)).toBeNull()
      })

      test('publishes changes of matches with the message id and the body of their deliveries, in order', async () => {
        const endpoint = { url: 'http://127.0.0.1:9/hooks', types: ['match.updated'] }
        const { id } = await world.db.write(tx => addEndpoint(tx, world.deps.webhookSecrets, endpoint))
        const sink = await opened()
        const [matchId, fan] = [await world.match(), await newFan(world)]
        for (const revision of [2, 3, 4]) {
          const state = {
            status: 'live',
            kickoffAt: '2026-08-15T18:30:00.000Z',
            homeScore: 0,
            awayScore: 0,
          } as const
          await world.db.write(tx => updateMatch(tx, matchId, { revision, ...state }))
          await happen(world, fan)
        }
        await distributeAll(world)
        await sink.poll()
        const lane = `match:${matchId}`
        const subject = `matchday.events.${lane}.match.updated`
        const deliveries = await deliveriesOf(world, id)
        expect(deliveries.map(({ userId, sequence }) => `${userId} ${sequence}`)).toEqual(
          [1, 2, 3].map(sequence => `${lane} ${sequence}`),
        )
        const expected = deliveries.map(({ sequence, body }) => ({
          subject,
          id: messageId({ lane, sequence }),
          body,
        }))
        expect(await nats.messages(STREAM, `matchday.events.${lane}.>`)).toEqual(expected)
        expect(await nats.messages(STREAM, 'matchday.events.*.match.updated')).toEqual(expected)
        expect(await ids()).toHaveLength(6)
        expect(await readSinkBacklog(world.db.read)).toBeNull()
      })

      test('lets consumers filter by fan, by type and by group of types', async () => {
        const sink = await opened()
        const [one, two] = [await newFan(world), await newFan(world)]
        for (const fan of [one, two])
          for (const type of ['shop.purchase', 'shop.order.paid', 'quest.completed'])
            await happen(world, fan, { source: 'shop', type })
        await distributeAll(world)
        await sink.poll()
        const types = async (filter: string) =>
          (await nats.messages(STREAM, filter)).map(({ body }) => JSON.parse(body).type).toSorted()
        expect(await types(`matchday.events.${one}.>`)).toEqual([
          'quest.completed',
          'shop.order.paid',
          'shop.purchase',
        ])
        expect(await types('matchday.events.*.shop.purchase')).toEqual(['shop.purchase', 'shop.purchase'])
        expect(await types('matchday.events.*.shop.>')).toHaveLength(4)
        expect(await types(`matchday.events.${two}.shop.order.*`)).toEqual(['shop.order.paid'])
        const lines = await linesOf(documentedConsumer, { NATS_URL: `127.0.0.1:${nats.port}` }, 4)
        expect(lines.filter(line => line.includes(one))).toEqual([
          `shop.purchase ${one} 1`,
          `shop.order.paid ${one} 2`,
        ])
      })

      test('begins with the events that are recorded after it is configured', async () => {
        const fan = await newFan(world)
        await happen(world, fan)
        await distributeAll(world)
        const sink = await opened()
        await happen(world, fan)
        await distributeAll(world)
        await sink.poll()
        expect(await ids()).toEqual([messageId({ lane: fan, sequence: 2 })])
      })

      test('creates a stream with limits, and leaves one that stores the subjects as it is', async () => {
        const sink = await opened()
        const fan = await newFan(world)
        const once = async () => {
          await happen(world, fan)
          await distributeAll(world)
          await sink.poll()
        }
        await once()
        const config = () => nats.streams(async manager => (await manager.streams.info(STREAM)).config)
        const created = await config()
        expect(created).toMatchObject({
          subjects: ['matchday.events.>'],
          storage: 'file',
          retention: 'limits',
          discard: 'old',
          max_age: 30 * 24 * 60 * MINUTE * 1e6,
          duplicate_window: 10 * MINUTE * 1e6,
        })
        const changed = await nats.streams(manager =>
          manager.streams.update(STREAM, { max_age: MINUTE * 1e6, duplicate_window: MINUTE * 1e6 }),
        )
        await once()
        expect(await config()).toEqual(changed.config)

        await nats.streams(async manager => {
          await manager.streams.delete(STREAM)
          await manager.streams.add({ name: 'OWN', subjects: ['matchday.>'] })
        })
        await once()
        expect(await nats.messages('OWN')).toHaveLength(1)
        const names = await nats.streams(async manager => {
          const found: string[] = []
          for await (const stream of manager.streams.list()) found.push(stream.config.name)
          return found
        })
        expect(names).toEqual(['OWN'])
      })

      test('publishes nothing more of a fan who was erased', async () => {
        const sink = await opened()
        const [erased, other] = [await newFan(world), await newFan(world)]
        await happen(world, erased)
        await distributeAll(world)
        await sink.poll()
        await sink.stop()
        await happen(world, erased)
        await happen(world, other)
        await distributeAll(world)
        await world.db.write(tx => eraseUser(tx, { id: erased }))
        await publisher().poll()
        expect(await ids()).toEqual([
          messageId({ lane: erased, sequence: 1 }),
          messageId({ lane: other, sequence: 1 }),
        ])
        expect(await readSinkBacklog(world.db.read)).toBeNull()
      })

      test('one process publishes; another one takes over when it stops or is killed', async () => {
        const [first, second] = [await opened(), publisher()]
        const holder = async () => (await sinkRow(world))?.leaseHolder
        const started = await holder()
        const fan = await newFan(world)
        const record = async () => {
          await happen(world, fan)
          await distributeAll(world)
        }
        await record()
        await second.poll()
        expect(await holder()).toBe(started)
        await first.stop()
        expect(await holder()).toBeNull()
        await record()
        await second.poll()
        expect(await holder()).not.toBe(started)
        await second.stop()

        await world.db.write(tx => takeLease(tx, 'a process that died'))
        const third = publisher()
        await record()
        world.clock.advance(LEASE_MS - 1)
        await third.poll()
        expect(await readSinkBacklog(world.db.read)).toMatchObject({ events: 1 })
        world.clock.advance(1)
        await third.poll()
        expect(await ids()).toEqual([1, 2, 3].map(sequence => messageId({ lane: fan, sequence })))
      })

      test('a process that has lost the lease does not change the position', async () => {
        await world.db.write(openSink)
        const position = async () => (await sinkRow(world))?.position ?? -1
        const before = await position()
        await world.db.write(tx => takeLease(tx, 'slow'))
        world.clock.advance(LEASE_MS)
        await world.db.write(tx => takeLease(tx, 'fast'))
        expect(await world.db.write(tx => storePosition(tx, 'slow', before + 1))).toBeNull()
        expect(await position()).toBe(before)
        expect(await world.db.write(tx => storePosition(tx, 'fast', before + 2))).not.toBeNull()
        expect(await position()).toBe(before + 2)
      })

      test('keeps the lease as long as it lives, also with nothing to publish', async () => {
        const [first, second] = [await opened(), publisher()]
        const holder = (await sinkRow(world))?.leaseHolder
        for (let n = 0; n < 6; n++) {
          world.clock.advance(LEASE_MS / 2)
          await first.poll()
          await second.poll()
        }
        expect((await sinkRow(world))?.leaseHolder).toBe(holder)
      })

      test('an event that the server refuses delays the later events of its fan until the server accepts it', async () => {
        const sink = await opened(nats.limitedUrl)
        const [held, free] = [await newFan(world), await newFan(world)]
        await happen(world, held)
        await happen(world, held, { source: 'shop', type: 'shop.refused' })
        await happen(world, held)
        await happen(world, free)
        await distributeAll(world)
        await sink.poll()
        const publishedOf = async (fan: string) => ids(`matchday.events.${fan}.>`)
        const sequencesOf = (fan: string, ...sequences: number[]) =>
          sequences.map(sequence => messageId({ lane: fan, sequence }))
        expect(await publishedOf(held)).toEqual(sequencesOf(held, 1))
        expect(await publishedOf(free)).toEqual(sequencesOf(free, 1))
        for (let n = 0; n < 5; n++) {
          world.clock.advance(MINUTE)
          await sink.poll()
        }
        expect(logs('event sink unavailable')).toHaveLength(1)
        await sink.stop()
        await publisher().poll()
        expect(await publishedOf(held)).toEqual(sequencesOf(held, 1, 2, 3))
        expect(await publishedOf(free)).toEqual(sequencesOf(free, 1))
      })

      test('an unavailable server delays no request; it is logged once, shown by /readyz, and receives all events once it is available', async () => {
        const sink = await opened()
        await nats.kill()
        const { post } = await world.fan()
        expect((await post('/api/user/onboarding', {})).status).toBe(200)
        await distributeAll(world)
        const ready = async () => {
          const { status, body } = await world.anonymous.get('/readyz')
          return [status, body.checks.eventSink]
        }
        await sink.poll()
        expect(await ready()).toEqual([200, undefined])
        const since = world.clock.now()
        for (let n = 0; n < 5; n++) {
          world.clock.advance(MINUTE)
          await sink.poll()
        }
        const backlog = await readSinkBacklog(world.db.read)
        expect(backlog?.since).toEqual(since)
        expect(await ready()).toEqual([
          200,
          `behind by ${backlog?.events} events, since ${since.toISOString()}`,
        ])
        expect(logs('event sink unavailable')).toHaveLength(1)
        await nats.start()
        world.clock.advance(MINUTE)
        await sink.poll()
        expect(await ids()).toHaveLength(backlog?.events ?? 0)
        expect(await ready()).toEqual([200, undefined])
        await sink.poll()
        expect(logs('event sink available again')).toHaveLength(1)
        expect(world.logged.join()).not.toContain('of-the-sink')
      })

      test.each([
        ['wrong credentials', 'AuthorizationError', nats => nats.url.replace('of-the-sink', 'hunter2')],
        ['TLS that the server does not offer', 'ConnectionError', nats => nats.url.replace('nats:', 'tls:')],
      ] satisfies [string, string, (nats: NatsServer) => string][])(
        '%s: the failure is logged once, without the credentials',
        async (_, type, urlOf) => {
          const sink = publisher(urlOf(nats), FOR_EVER)
          for (let n = 0; n < 3; n++) {
            await sink.poll()
            world.clock.advance(MINUTE)
          }
          expect(logs('event sink unavailable').map(line => JSON.parse(line).error.type)).toEqual([type])
          expect(world.logged.join()).not.toMatch(/hunter2|of-the-sink/)
        },
      )

      test.each([
        ['before it greets', false],
        ['after it connected', true],
      ])('a server that hangs %s delays no stop, and loses nothing', async (_, connected) => {
        const sink = publisher(nats.url, FOR_EVER)
        if (connected) await sink.poll()
        else await (await opened()).stop()
        const fan = await newFan(world)
        nats.pause()
        for (let n = 0; n < 3; n++) await happen(world, fan)
        await distributeAll(world)
        const hanging = sink.poll()
        await waitUntil('the lease is taken', async () => (await sinkRow(world))?.leaseHolder)
        await sink.stop()
        await hanging
        nats.resume()
        expect(logs('event sink unavailable')).toEqual([])
        await publisher().poll()
        expect([...new Set(await ids())]).toEqual(
          [1, 2, 3].map(sequence => messageId({ lane: fan, sequence })),
        )
      })

      test('attempts to a server that accepts connections and does not respond do not leak sockets', async () => {
        let open = 0
        const silent = Bun.listen({
          hostname: '127.0.0.1',
          port: 0,
          socket: { data() {}, open: () => void open++, close: () => void open-- },
        })
        const sink = publisher(`nats://127.0.0.1:${silent.port}`, { timeoutMs: 20 })
        for (let n = 0; n < 5; n++) {
          await sink.poll()
          world.clock.advance(MINUTE)
        }
        await waitUntil('every socket is closed', () => open === 0)
        silent.stop(true)
        expect(logs('event sink unavailable')).toHaveLength(1)
      })
    },
    { env: { EVENT_SINK: `nats://127.0.0.1:${freePort()}` } },
  )
})
