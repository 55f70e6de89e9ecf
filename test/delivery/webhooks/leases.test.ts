/** Leases: of several dispatchers each delivery is claimed by one, and what one has left is claimed again. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { startBackground } from '../../../src/app/background.ts'
import { createDispatcher } from '../../../src/delivery/webhooks/dispatcher.ts'
import { replayDeliveries } from '../../../src/delivery/webhooks/replay.ts'
import { type Claim, takeTurn } from '../../../src/delivery/webhooks/turn.ts'
import { anyAwaits } from '../../../src/economy/events/distribute.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import {
  addReceiver,
  deliveriesOf,
  dispatcherOf,
  distributeAll,
  drain,
  giveWay,
  happen,
  newFan,
  removeEndpoints,
  statesOf,
} from './webhooks-world.ts'

const LEASE = { maxInFlight: 3, maxClaimed: 3, held: [] as Claim[], leaseMs: 30_000 }
const delivered = { status: 200, response: '' }

onEachEngine('Leases of deliveries', world => {
  let receiver: Receiver
  let id: string

  beforeEach(async () => {
    receiver = startReceiver()
    id = (await addReceiver(world, receiver, ['*'])).id
  })
  afterEach(async () => {
    await receiver.stop()
    await removeEndpoints(world)
  })

  async function claim(limits = LEASE) {
    await distributeAll(world)
    return (await world.db.write(tx => takeTurn(tx, id, [], limits)))?.claims ?? []
  }

  async function drainUntil(
    dispatcher: ReturnType<typeof dispatcherOf>,
    isDone: (lanes: { leaseEndsAt: Date | null }[]) => boolean,
  ) {
    await waitUntil('the lanes are as expected', async () => {
      await dispatcher.poll()
      return (
        receiver.received.length > 0 &&
        isDone(await world.db.read.select().from(world.db.tables.webhookLanes))
      )
    })
  }

  test('only the oldest pending delivery of a fan can be claimed, and by one claimant', async () => {
    const fan = await newFan(world)
    await happen(world, fan)
    await happen(world, fan)
    const claims = await Promise.all([claim(), claim(), claim()])
    expect(claims.flat().map(({ userId, sequence }) => [userId, sequence])).toEqual([[fan, 1]])
  })

  test('no more deliveries of an endpoint are claimed at once than it may have', async () => {
    for (let n = 0; n < 5; n++) await happen(world, await newFan(world))
    const claims = await Promise.all([claim(), claim(), claim()])
    expect(claims.flat()).toHaveLength(3)
    expect(await claim({ ...LEASE, maxInFlight: 4 })).toHaveLength(1)
  })

  test('a process that sends alone claims deliveries ahead, and a second process gets the remaining share of attempts', async () => {
    for (let n = 0; n < 6; n++) await happen(world, await newFan(world))
    const ahead = { ...LEASE, maxClaimed: 5 }
    const first = await claim(ahead)
    expect(first).toHaveLength(5)
    expect(await claim(ahead)).toEqual([])
    const ended = first.slice(0, 3).map(claimed => ({ ...claimed, result: delivered }))
    const stopped = { ...ahead, maxInFlight: 0 }
    await world.db.write(tx => takeTurn(tx, id, ended, stopped))
    expect(await claim({ ...ahead, held: first.slice(3) })).toHaveLength(1)
    expect(await claim(ahead)).toEqual([])
  })

  test('deliveries that are claimed ahead wait for earlier attempts, and are sent in the order in which they were due', async () => {
    let running = 0
    let most = 0
    receiver.behave(async () => {
      most = Math.max(most, ++running)
      await giveWay()
      running--
      return undefined
    })
    const fans: string[] = []
    for (let n = 0; n < 24; n++) {
      const fan = await newFan(world)
      fans.push(`${fan} 1`)
      await happen(world, fan)
      await distributeAll(world)
      world.clock.advance(1)
    }
    const dispatcher = dispatcherOf(world, { maxInFlight: 1 })
    await drain(world, dispatcher)
    expect(most).toBe(1)
    expect(receiver.order()).toEqual(fans)
    expect(await statesOf(world, id)).toEqual(Array(24).fill('delivered'))
    await dispatcher.stop()
  })

  test('deliveries that are claimed ahead are released, uncounted and due at once, when the receiver asks for a pause', async () => {
    for (let n = 0; n < 8; n++) await happen(world, await newFan(world))
    await distributeAll(world)
    receiver.behave(() => new Response(null, { status: 429, headers: { 'retry-after': '60' } }))
    const dispatcher = dispatcherOf(world, { maxInFlight: 1 })
    await drainUntil(dispatcher, lanes => lanes.every(({ leaseEndsAt }) => leaseEndsAt === null))
    expect(receiver.received).toHaveLength(1)
    const attempts = (await deliveriesOf(world, id)).map(delivery => delivery.attempts)
    expect(attempts.toSorted()).toEqual([0, 0, 0, 0, 0, 0, 0, 1])
    receiver.behave(undefined)
    world.clock.advance(60_000)
    await drain(world, dispatcher)
    expect(await statesOf(world, id)).toEqual(Array(8).fill('delivered'))
    await dispatcher.stop()
  })

  test('deliveries that have waited for longer than five seconds are released, so that no attempt outlives its lease', async () => {
    for (let n = 0; n < 3; n++) await happen(world, await newFan(world))
    await distributeAll(world)
    receiver.behave((_, count) => {
      if (count === 1) world.clock.advance(5_001)
      return undefined
    })
    const sent: { at: number; until: number }[] = []
    const webhookFetch = async (request: Request) => {
      const lanes = await world.db.read.select().from(world.db.tables.webhookLanes)
      const until = Math.min(...lanes.flatMap(({ leaseEndsAt }) => leaseEndsAt?.getTime() ?? []))
      sent.push({ at: world.clock.now().getTime(), until })
      return world.deps.webhookFetch(request)
    }
    const dispatcher = dispatcherOf(world, { maxInFlight: 1, webhookFetch })
    await drain(world, dispatcher)
    expect(await statesOf(world, id)).toEqual(Array(3).fill('delivered'))
    // The attempt takes at most 15 s, and 10 s remain to store its result.
    expect(sent.every(({ at, until }) => until - at >= 25_000)).toBe(true)
    await dispatcher.stop()
  })

  test('deliveries that a killed process had claimed are sent when the lease ends, and later ones after them', async () => {
    const fan = await newFan(world)
    await happen(world, fan)
    await happen(world, fan)
    expect(await claim()).toHaveLength(1)
    const dispatcher = dispatcherOf(world)
    world.clock.advance(LEASE.leaseMs - 1)
    await dispatcher.poll()
    expect(receiver.received).toEqual([])
    world.clock.advance(1)
    await drain(world, dispatcher)
    expect(receiver.order()).toEqual([`${fan} 1`, `${fan} 2`])
    await dispatcher.stop()
  })

  test.each([
    ['a success', delivered],
    ['a failure', { status: 500, response: '' }],
  ])('%s that arrives after the lease has ended changes nothing', async (_, result) => {
    const fan = await newFan(world)
    await happen(world, fan)
    const [late] = await claim()
    world.clock.advance(LEASE.leaseMs)
    const [again] = await claim()
    if (!late || !again) throw new Error('not claimed')
    await world.db.write(tx => takeTurn(tx, id, [{ ...late, result }], LEASE))
    expect(await deliveriesOf(world, id)).toMatchObject([{ state: 'pending', attempts: 0 }])
    expect(await claim()).toEqual([])
    await world.db.write(tx => takeTurn(tx, id, [{ ...again, result: delivered }], LEASE))
    expect(await deliveriesOf(world, id)).toMatchObject([{ state: 'delivered', attempts: 1 }])
  })

  test('an event that is recorded while the delivery before it ends is delivered', async () => {
    const fan = await newFan(world)
    for (let n = 0; n < 20; n++) {
      await happen(world, fan)
      const [first] = await claim()
      if (!first) throw new Error('not claimed')
      const settle = () =>
        world.db.write(tx =>
          takeTurn(tx, id, [{ ...first, result: delivered }], { ...LEASE, maxInFlight: 0 }),
        )
      await happen(world, fan)
      await Promise.all([distributeAll(world), settle()])
      const [second] = await claim()
      expect(second?.sequence).toBe(first.sequence + 1)
      await world.db.write(tx =>
        takeTurn(tx, id, second ? [{ ...second, result: delivered }] : [], { ...LEASE, maxInFlight: 0 }),
      )
    }
    expect(await statesOf(world, id)).toEqual(Array(40).fill('delivered'))
    expect(await world.db.read.select().from(world.db.tables.webhookLanes)).toEqual([])
  })

  test('replays concurrent with turns and new events end, and leave nothing pending', async () => {
    const dispatcher = dispatcherOf(world)
    const fans = await Promise.all(Array.from({ length: 20 }, () => newFan(world)))
    for (const fan of fans) await happen(world, fan)
    await drain(world, dispatcher)
    await Promise.all([
      ...[1, 2, 3].map(() => replayDeliveries(world.db, id, new Date(0))),
      ...fans.toReversed().map(fan => happen(world, fan)),
      ...Array.from({ length: 5 }, () => dispatcher.poll()),
    ])
    await drain(world, dispatcher)
    expect(await statesOf(world, id)).toEqual(Array(40).fill('delivered'))
    expect(new Set(receiver.order()).size).toBe(40)
    await dispatcher.stop()
  })

  test('a dispatcher that stops finishes its running attempts and begins none, so that a restart repeats none', async () => {
    const answer = Promise.withResolvers<Response>()
    receiver.behave(() => answer.promise)
    const stopped = dispatcherOf(world)
    const fan = await newFan(world)
    for (let n = 0; n < 2; n++) await happen(world, fan)
    await stopped.poll()
    await waitUntil('the receiver has it', () => receiver.received.length === 1)
    const stopping = stopped.stop(60_000)
    answer.resolve(new Response(null, { status: 204 }))
    await stopping
    expect(await statesOf(world, id)).toEqual(['delivered', 'pending'])
    receiver.behave(undefined)
    const dispatcher = dispatcherOf(world)
    await drain(world, dispatcher)
    expect(receiver.order()).toEqual([`${fan} 1`, `${fan} 2`])
    await dispatcher.stop()
  })

  test('a dispatcher that stops releases an attempt that does not end in time, due at once and uncounted', async () => {
    receiver.behave(() => ({ kind: 'hang' }))
    const stopped = createDispatcher({ ...world.deps, giveWay })
    await happen(world, await newFan(world))
    await distributeAll(world)
    await stopped.poll()
    await stopped.stop(50)
    expect(await deliveriesOf(world, id)).toMatchObject([{ state: 'pending', attempts: 0 }])
    receiver.behave(undefined)
    const dispatcher = dispatcherOf(world)
    await drain(world, dispatcher)
    expect(await deliveriesOf(world, id)).toMatchObject([{ state: 'delivered', attempts: 1 }])
    await dispatcher.stop()
  })

  test('a process that stops does not distribute or send the backlog first', async () => {
    const fan = await newFan(world)
    await happen(world, fan)
    await distributeAll(world)
    await happen(world, fan)
    // Giving way is measured by the time that passes.
    await startBackground({ ...world.deps, elapsed: () => performance.now() }).stop()
    expect(await anyAwaits(world.db.read)).toBe(true)
    expect(receiver.received).toEqual([])
    expect(await statesOf(world, id)).toEqual(['pending'])
    await distributeAll(world)
  })

  test('a poll does not wait for an endpoint with further deliveries, so that the next poll finds other endpoints', async () => {
    await happen(world, await newFan(world))
    await distributeAll(world)
    const pause = Promise.withResolvers<void>()
    const dispatcher = createDispatcher({ ...world.deps, giveWay: () => pause.promise })
    await dispatcher.poll()
    await waitUntil('the delivery has arrived', () => receiver.received.length === 1)
    pause.resolve()
    await dispatcher.stop()
  })

  test('three dispatchers deliver concurrent events, each event once and each fan in order', async () => {
    const dispatchers = [1, 2, 3].map(() => dispatcherOf(world, { maxInFlight: 4 }))
    const fans = await Promise.all(Array.from({ length: 6 }, () => newFan(world)))
    const recorded = Promise.all(
      fans.map(async fan => {
        for (let n = 0; n < 10; n++) await happen(world, fan)
      }),
    )
    const polls = dispatchers.map(async dispatcher => {
      for (let n = 0; n < 20; n++) await dispatcher.poll()
    })
    await Promise.all([recorded, ...polls])
    for (const dispatcher of dispatchers) await drain(world, dispatcher)
    const expected = Array.from({ length: 10 }, (_, at) => at + 1)
    for (const fan of fans) {
      const ofFan = receiver.received.filter(({ body }) => body.data.userId === fan)
      expect(ofFan.map(({ body }) => body.data.sequence)).toEqual(expected)
    }
    for (const dispatcher of dispatchers) await dispatcher.stop()
  })
})
