/** Distribution: which events wait for it, and the positions it gives them, in the order of each fan. */
import { expect, test } from 'bun:test'
import { asc, eq, isNotNull } from 'drizzle-orm'
import { bumpVersion } from '../../../src/club/catalogue/versions.ts'
import { BATCH, distributeEvents } from '../../../src/economy/events/distribute.ts'
import { createDistributor } from '../../../src/economy/events/distributor.ts'
import { laneOf } from '../../../src/economy/events/event.ts'
import type { DistributedEvent } from '../../../src/economy/events/subscribers.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { distributeAll, giveWay, happen, newFan } from '../../delivery/webhooks/webhooks-world.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine(
  'The distribution of events',
  world => {
    let asked: (type: string) => boolean
    let distributed: DistributedEvent[]

    /** A subscriber that asks for these types, as far as a process knows that loads its listeners now. */
    async function subscribe(asks: (type: string) => boolean) {
      asked = asks
      distributed = []
      world.db.read.spine.events.subscribers = [
        {
          load: async () => asked,
          async distribute(tx, events) {
            tx.afterCommit(() => void distributed.push(...events))
          },
        },
      ]
      await world.db.write(tx => bumpVersion(tx))
    }

    const rows = () => {
      const { events } = world.db.tables
      return world.db.read.select().from(events).orderBy(asc(events.userId), asc(events.sequence))
    }
    const positions = async () => (await rows()).map(({ position }) => position)
    const order = () => distributed.map(event => `${laneOf(event)} ${event.sequence}`)

    test('distributes the types that a subscriber asks for, and no others', async () => {
      await subscribe(type => type === 'shop.purchase')
      const fan = await newFan(world)
      for (const type of ['reward.claimed', 'shop.purchase', 'shop.refund', 'shop.purchase'])
        await happen(world, fan, { type })
      expect(await positions()).toEqual([null, 0, null, 0])
      await distributeAll(world)
      expect(await positions()).toEqual([null, 1, null, 2])
      expect(distributed).toMatchObject([
        { userId: fan, sequence: 2, position: 1, type: 'shop.purchase', data: { rewardId: 'scarf' } },
        { userId: fan, sequence: 4, position: 2 },
      ])
      await distributeAll(world)
      expect(distributed).toHaveLength(2)
    })

    test('uses the new listeners for the first event after another process changed them', async () => {
      await subscribe(() => false)
      const fan = await newFan(world)
      await happen(world, fan)
      asked = () => true
      await world.db.write(tx => bumpVersion(tx))
      await happen(world, fan)
      asked = () => false
      await world.db.write(tx => bumpVersion(tx))
      await happen(world, fan)
      expect(await positions()).toEqual([null, 0, null])
    })

    test('publishes no events of a failed unit of work, and no events twice after its own failure', async () => {
      await subscribe(() => true)
      const fan = await newFan(world)
      await happen(world, fan)
      world.db.read.spine.events.subscribers = [
        { load: async () => asked, distribute: () => Promise.reject(new Error('no room')) },
      ]
      await expect(world.db.write(tx => distributeEvents(tx, ''))).rejects.toThrow('no room')
      expect(await positions()).toEqual([0])
      await subscribe(() => true)
      await distributeAll(world)
      expect(order()).toEqual([`${fan} 1`])
    })

    test('takes the fans in turn, and the oldest events of each first', async () => {
      await subscribe(() => true)
      const fans = [await newFan(world), await newFan(world), await newFan(world)].toSorted()
      const [busy = '', second = '', third = ''] = fans
      for (let n = 0; n < BATCH + 10; n++) await happen(world, busy)
      for (const fan of [second, third]) await happen(world, fan)
      const after = await world.db.write(tx => distributeEvents(tx, ''))
      expect(after).toBe(busy)
      await happen(world, busy)
      expect(await world.db.write(tx => distributeEvents(tx, after ?? ''))).toBeNull()
      expect(order().slice(BATCH)).toEqual([`${second} 1`, `${third} 1`])
      await distributeAll(world)
      const ofBusy = distributed.filter(event => laneOf(event) === busy).map(({ sequence }) => sequence)
      expect(ofBusy).toEqual(Array.from({ length: BATCH + 11 }, (_, at) => at + 1))
      expect(distributed.map(({ position }) => position)).toEqual(distributed.map((_, at) => at + 1))
    })

    test('by several processes gives each event one position, without a gap and in the order of each fan', async () => {
      await subscribe(() => true)
      const fans = await Promise.all(Array.from({ length: 8 }, () => newFan(world)))
      const recording = Promise.all(
        fans.map(async fan => {
          for (let n = 0; n < 10; n++) await happen(world, fan)
        }),
      )
      await Promise.all([recording, ...[1, 2, 3].map(() => distributeAll(world))])
      await distributeAll(world)
      const found = (await rows()).map(({ position }) => Number(position))
      expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, at) => at + 1))
      for (const fan of fans) {
        const own = (await rows()).filter(({ userId }) => userId === fan).map(({ position }) => position)
        expect(own).toEqual(own.toSorted((a, b) => Number(a) - Number(b)))
      }
      expect(new Set(order()).size).toBe(80)
    })

    test('leaves out the events of a fan who was erased', async () => {
      await subscribe(() => true)
      const [gone, other] = [await newFan(world), await newFan(world)]
      for (const fan of [gone, other]) await happen(world, fan)
      await Promise.all([world.db.write(tx => eraseUser(tx, { id: gone })), happen(world, other)])
      await distributeAll(world)
      expect(order()).toEqual([`${other} 1`, `${other} 2`])
      const { events } = world.db.tables
      expect(await world.db.read.select().from(events).where(eq(events.userId, gone))).toMatchObject([
        { data: null, position: null },
      ])
    })

    test('leaves out events that are recorded for a fan after the erasure, such as a settlement', async () => {
      await subscribe(() => true)
      const [gone, other] = [await newFan(world), await newFan(world)]
      await world.db.write(tx => eraseUser(tx, { id: gone }))
      for (const fan of [gone, other, gone]) await happen(world, fan)
      await distributeAll(world)
      expect(order()).toEqual([`${other} 1`])
      const { events } = world.db.tables
      expect(await world.db.read.select().from(events).where(eq(events.userId, gone))).toMatchObject([
        { data: null, position: expect.any(Number) },
        { data: null, position: expect.any(Number) },
      ])
    })

    test('concurrent with an erasure either distributes an event or clears its position, without a gap', async () => {
      await subscribe(() => true)
      const distributor = createDistributor({ ...world.deps, giveWay })
      for (let n = 0; n < 10; n++) {
        const [gone, other] = [await newFan(world), await newFan(world)]
        for (const fan of [gone, other]) await happen(world, fan)
        await Promise.all([world.db.write(tx => eraseUser(tx, { id: gone })), distributor.poll()])
      }
      await distributor.poll()
      await distributor.stop()
      const told = (await rows()).filter(({ position }) => position !== null)
      expect(order().toSorted()).toEqual(
        told.map(({ userId, sequence }) => `${userId} ${sequence}`).toSorted(),
      )
      const given = told.map(({ position }) => Number(position)).toSorted((x, y) => x - y)
      expect(given).toEqual(told.map((_, at) => at + 1))
    })

    test('runs after the commit in the process of the event, and by the poll in others', async () => {
      await subscribe(() => true)
      const fan = await newFan(world)
      await happen(world, fan)
      const distributor = createDistributor({ ...world.deps, giveWay })
      await distributor.poll()
      expect(order()).toEqual([`${fan} 1`])
      await happen(world, fan)
      await waitUntil('it is distributed', () => distributed.length === 2)
      await distributor.stop()
      await happen(world, fan)
      const { events } = world.db.tables
      expect(await world.db.read.select().from(events).where(isNotNull(events.position))).toHaveLength(3)
      expect(distributed).toHaveLength(2)
    })
  },
  { worldPer: 'test' },
)
