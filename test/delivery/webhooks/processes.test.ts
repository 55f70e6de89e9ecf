/** Webhooks and the event sink of real processes: several at once on one database, and killed at any moment. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { isNotNull } from 'drizzle-orm'
import { readSinkBacklog } from '../../../src/delivery/event-sink/backlog.ts'
import { STREAM } from '../../../src/delivery/event-sink/nats.ts'
import { addEndpoint } from '../../../src/delivery/webhooks/endpoints.ts'
import { createWebhookSecrets } from '../../../src/delivery/webhooks/secrets.ts'
import { anyAwaits } from '../../../src/economy/events/distribute.ts'
import { parseConfig } from '../../../src/platform/config/config.ts'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { createFactories } from '../../support/factories.ts'
import { type NatsServer, natsBinary, startNatsServer, withoutNats } from '../../support/nats-server.ts'
import {
  type RunningApi,
  type RunningProvider,
  secrets,
  startApi,
  startProvider,
} from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const FANS = 12
const REWARDS = 10

for (const engine of engines) {
  describe(`Webhooks, and the event sink${withoutNats}, of processes (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let receiver: Receiver
    let apis: RunningApi[]
    let tokens: string[]
    let rewards: string[]
    let nats: NatsServer | undefined

    beforeAll(async () => {
      if (natsBinary) nats = await startNatsServer(natsBinary)
    })
    afterAll(() => nats?.remove())

    async function start() {
      const api = await startApi({
        DATABASE_URL: temporary.url ?? '',
        IDP_ISSUER: provider.issuer,
        ...(nats ? { EVENT_SINK: nats.url } : {}),
      })
      const { eventSinks } = temporary.db.tables
      if (nats)
        await waitUntil(
          'the sink is open',
          async () => (await temporary.db.read.select().from(eventSinks))[0],
        )
      return api
    }

    beforeEach(async () => {
      temporary = await engine.open(createClock())
      provider = await startProvider({ fans: FANS })
      receiver = startReceiver()
      const config = parseConfig({
        ...secrets,
        IDP_ISSUER: provider.issuer,
        DATABASE_URL: temporary.url ?? '',
      })
      const { db } = temporary
      const factories = createFactories(db, config)
      rewards = await Promise.all(
        Array.from({ length: REWARDS }, () => factories.reward({ pointsRequired: 0, startsAt: null })),
      )
      const webhookSecrets = createWebhookSecrets(config.nativeTokens)
      await db.write(tx => addEndpoint(tx, webhookSecrets, { url: receiver.url, types: ['reward.*'] }))
      tokens = await Promise.all(
        Array.from({ length: FANS }, (_, n) =>
          provider.idp.issueToken(`fan-${String(n + 1).padStart(4, '0')}`),
        ),
      )
      apis = []
    })

    afterEach(async () => {
      await Promise.all(apis.map(api => api.stop('SIGKILL')))
      nats?.resume()
      await provider.stop()
      await receiver.stop()
      await temporary.remove()
    })

    /** Each fan claims these rewards, one after another. A request that a killed process cut is not repeated. */
    const claim = (rewardIds: string[]) =>
      Promise.all(
        tokens.map(async (token, n) => {
          for (const rewardId of rewardIds) {
            const api = apis[n % apis.length]
            await fetch(`${api?.origin}/api/rewards/claim`, {
              method: 'POST',
              headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
              body: JSON.stringify({ rewardId }),
            }).catch(() => null)
          }
        }),
      )

    /** All events that were committed, as the receiver names them, in the order of each fan. */
    async function committed(): Promise<string[]> {
      const { events } = temporary.db.tables
      const rows = await temporary.db.read.select().from(events).where(isNotNull(events.sequence))
      return rows.map(({ userId, sequence }) => `${userId} ${sequence}`)
    }

    const noneIsPending = async () =>
      !(await anyAwaits(temporary.db.read)) &&
      (await temporary.db.read.select().from(temporary.db.tables.webhookLanes)).length === 0

    /** Up to where the sink has published. */
    const position = async () =>
      (await temporary.db.read.select().from(temporary.db.tables.eventSinks))[0]?.position ?? 0

    /** The published events, after the sink has published all. */
    async function published(): Promise<string[]> {
      await waitUntil('everything is published', async () => {
        return !(await anyAwaits(temporary.db.read)) && !(await readSinkBacklog(temporary.db.read))
      })
      const messages = await nats?.messages(STREAM)
      await nats?.streams(manager => manager.streams.delete(STREAM))
      return (messages ?? []).map(({ body }) => {
        const { data } = JSON.parse(body)
        return `${data.userId} ${data.sequence}`
      })
    }

    /** The first arrival of each event keeps the order of its fan. */
    function expectOrder(arrived: string[]): void {
      const first = [...new Set(arrived)]
      const sequences = Map.groupBy(first, line => line.split(' ')[0])
      for (const [, lines] of sequences) {
        const numbers = lines.map(line => Number(line.split(' ')[1]))
        expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => at + 1))
      }
    }

    test('two processes deliver every event once, each fan in order', async () => {
      apis = await Promise.all([start(), start()])
      await claim(rewards)
      await waitUntil('everything is delivered', noneIsPending)
      const expected = await committed()
      expect(expected).toHaveLength(FANS * REWARDS)
      expect(receiver.order().toSorted()).toEqual(expected.toSorted())
      expectOrder(receiver.order())
      if (!nats) return
      const inStream = await published()
      expect(inStream.toSorted()).toEqual(expected.toSorted())
      expectOrder(inStream)
    })

    test('a process that is killed repeatedly loses no committed event, records no other, and keeps the order', async () => {
      // Slow enough that attempts run when the process dies.
      receiver.behave(() => ({ kind: 'delay', delayMs: 5 }))
      for (const [round, rewardId] of rewards.slice(0, 5).entries()) {
        const api = await start()
        apis = [api]
        const before = receiver.received.length
        const from = await position()
        const load = claim([rewardId, rewards[5 + round] ?? ''])
        await waitUntil('some events are delivered', () => receiver.received.length > before + round)
        if (nats) await waitUntil('some events are published', async () => (await position()) > from)
        await api.stop('SIGKILL')
        await load
        // As if the leases of the dead process had ended.
        const { webhookLanes, eventSinks } = temporary.db.tables
        await temporary.db.write(async tx => {
          await tx.update(webhookLanes).set({ leaseEndsAt: null })
          await tx.update(eventSinks).set({ leaseHolder: null, leaseEndsAt: null })
        })
      }
      apis = [await start()]
      await waitUntil('everything is delivered', noneIsPending)
      const expected = await committed()
      expect(expected).not.toBeEmpty()
      expect([...new Set(receiver.order())].toSorted()).toEqual(expected.toSorted())
      expectOrder(receiver.order())
      if (!nats) return
      const inStream = await published()
      expect([...new Set(inStream)].toSorted()).toEqual(expected.toSorted())
      expectOrder(inStream)
    })

    test.skipIf(!natsBinary)(
      `while the server of the sink hangs, a process starts, answers and stops; the next one publishes${withoutNats}`,
      async () => {
        nats?.pause()
        const hindered = await start()
        apis = [hindered]
        await claim(rewards.slice(0, 2))
        expect(await hindered.stop()).toBe(0)
        nats?.resume()
        apis = [await start()]
        const inStream = await published()
        expect(inStream).toHaveLength(FANS * 2)
        expectOrder(inStream)
      },
    )
  })
}
