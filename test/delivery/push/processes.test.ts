/** Pushes of real processes: several at once on one database, and killed while they send. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { enqueuePushes } from '../../../src/delivery/push/enqueue.ts'
import { commandOf } from '../../support/executable.ts'
import { turns, waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { knownFan, newSubscription, pushOf, putDevice, servePushes } from './push-world.ts'

const FANS = 12
const TITLES = ['First', 'Second', 'Third']
/** Longer than a lease. */
const MINUTE = 60_000

onEachEngine(
  'Pushes of processes',
  world => {
    if (world.databaseUrl === null) return

    let service: ReturnType<typeof servePushes>
    const children: Bun.Subprocess[] = []
    beforeEach(() => {
      service = servePushes()
    })
    afterEach(async () => {
      for (const child of children.splice(0)) {
        child.kill('SIGKILL')
        await child.exited
      }
      await service.stop()
    })

    function start() {
      const { push, nativeTokens } = world.config
      const child = Bun.spawn(
        [
          ...commandOf('test/delivery/push/push-process.ts'),
          ...[world.databaseUrl ?? '', String(world.clock.ms), JSON.stringify({ push, nativeTokens })],
        ],
        { cwd: `${import.meta.dir}/../../..`, stdout: 'pipe', stderr: 'pipe' },
      )
      children.push(child)
      return child
    }

    async function finish(child: ReturnType<typeof start>) {
      if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
    }

    /** A campaign of three messages to each of the fans, whose browsers it returns. */
    async function queueAll() {
      const browsers = await Promise.all(
        Array.from({ length: FANS }, async (_, nth) => {
          const fan = await knownFan(world)
          const browser = newSubscription(`${service.url}${nth}`)
          await putDevice(fan, 'browser', { kind: 'webpush', subscription: browser.subscription })
          // Slow enough that attempts run when the process dies.
          service.answers.set(`/${nth}`, async () => {
            await turns(200)
            return new Response(null, { status: 201 })
          })
          return { id: fan.id, titles: () => service.titlesOf(`/${nth}`, browser) }
        }),
      )
      for (const title of TITLES)
        await world.db.write(tx =>
          enqueuePushes(
            tx,
            browsers.map(({ id }) => pushOf(id, { title, collapseKey: title })),
            { bulk: true },
          ),
        )
      return browsers
    }
    const states = async () =>
      new Set((await world.db.read.select().from(world.db.tables.pushDeliveries)).map(({ state }) => state))

    test('reach each device once, and in order, by two at the same time', async () => {
      const browsers = await queueAll()
      for (const child of [start(), start()]) await finish(child)
      for (const { titles } of browsers) expect(titles()).toEqual(TITLES)
      expect(await states()).toEqual(new Set(['sent']))
    })

    test('reach each device in order when processes are killed, and a repeat has the same topic', async () => {
      const browsers = await queueAll()
      for (const received of [4, 16]) {
        const killed = [start(), start()]
        await waitUntil('some are sent', () => service.got.length >= received)
        for (const child of killed) {
          child.kill('SIGKILL')
          await child.exited
        }
        world.clock.advance(MINUTE)
      }
      for (const child of [start(), start()]) await finish(child)
      for (const { titles } of browsers) expect([...new Set(titles())]).toEqual(TITLES)
      expect(await states()).toEqual(new Set(['sent']))
      expect(new Set(service.got.map(({ path, topic }) => `${path} ${topic}`)).size).toBe(
        FANS * TITLES.length,
      )
    })
  },
  { worldPer: 'test' },
)
