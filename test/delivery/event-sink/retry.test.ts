/** When a sink tries again after a failure, and from when on `/readyz` shows that it is late. No NATS server is needed. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readSinkNotices } from '../../../src/delivery/event-sink/backlog.ts'
import { openSink } from '../../../src/delivery/event-sink/sink.ts'
import { onEachEngine } from '../../support/world.ts'
import { distributeAll, happen, newFan } from '../webhooks/webhooks-world.ts'
import { publisherOf } from './sink-world.ts'

const SECOND = 1_000
const MINUTE = 60_000

onEachEngine(
  'Event sink',
  world => {
    beforeEach(() => world.db.write(openSink))
    afterEach(() => world.db.write(tx => tx.delete(tx.tables.eventSinks)))

    test('tries again after 1 s, then after twice as long each time, and at most 30 s later', async () => {
      let connections = 0
      const refusing = Bun.listen({
        hostname: '127.0.0.1',
        port: 0,
        socket: {
          data() {},
          open(socket) {
            connections++
            socket.end()
          },
        },
      })
      const sink = publisherOf(world, `nats://127.0.0.1:${refusing.port}`)
      const attempts: number[] = []
      for (let second = 0; second <= 130; second++) {
        const before = connections
        await sink.poll()
        if (connections > before) attempts.push(second)
        world.clock.advance(SECOND)
      }
      await sink.stop()
      refusing.stop(true)
      expect(attempts).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121])
    })

    test('is late once its oldest event has waited for a minute, and is not mentioned without a configuration', async () => {
      const config = { eventSink: world.config.eventSink }
      const notice = async (of = config) => (await readSinkNotices({ db: world.db, config: of })).eventSink
      expect(await notice()).toBeUndefined()
      const since = world.clock.now()
      const fan = await newFan(world)
      await happen(world, fan)
      await happen(world, fan)
      await distributeAll(world)
      world.clock.advance(MINUTE - 1)
      expect(await notice()).toBeUndefined()
      world.clock.advance(1)
      expect(await notice()).toBe(`behind by 2 events, since ${since.toISOString()}`)
      expect(await notice({ eventSink: null })).toBeUndefined()
    })
  },
  { env: { EVENT_SINK: 'nats://127.0.0.1:9' } },
)
