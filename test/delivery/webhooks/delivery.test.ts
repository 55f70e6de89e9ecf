/** Deliveries: signed, once committed, in the order of each fan, retried as scheduled, kept and replayed. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { createApp } from '../../../src/app/app.ts'
import type { Dispatcher } from '../../../src/delivery/webhooks/dispatcher.ts'
import { disableEndpoint, enableEndpoint, rotateSecret } from '../../../src/delivery/webhooks/endpoints.ts'
import { replayDeliveries, sweepDeliveries } from '../../../src/delivery/webhooks/replay.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { waitUntil } from '../../support/wait-until.ts'
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
  statesOf,
} from './webhooks-world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

onEachEngine('Webhook deliveries', world => {
  let receiver: Receiver
  let dispatcher: Dispatcher

  beforeEach(() => {
    // The libraries that verify read the clock of the machine.
    world.clock.ms = Date.now()
    receiver = startReceiver()
    dispatcher = dispatcherOf(world)
  })
  afterEach(async () => {
    await dispatcher.stop()
    await receiver.stop()
    await removeEndpoints(world)
  })

  describe('a message', () => {
    test('has the event and is signed so that standardwebhooks and svix verify it', async () => {
      const { secret } = await addReceiver(world, receiver, ['reward.claimed'])
      const fan = await newFan(world)
      const recorded = await happen(world, fan)
      await drain(world, dispatcher)
      const [{ headers, text, body }] = receiver.received as [(typeof receiver.received)[number]]
      expect(body).toEqual({
        type: 'reward.claimed',
        timestamp: world.clock.now().toISOString(),
        data: {
          userId: fan,
          sequence: 1,
          source: 'matchday',
          eventId: recorded?.event.eventId,
          rewardId: 'scarf',
        },
      })
      expect(headers['webhook-id']).toBe(`evt_${fan}_1`)
      expect(headers['content-type']).toBe('application/json')
      expect(new Webhook(secret).verify(text, headers)).toEqual(body)
      new SvixWebhook(secret).verify(text, headers)
      expect(() => new SvixWebhook(secret).verify(`${text} `, headers)).toThrow('No matching signature')
    })

    test('has the data that another system reported in a separate member', async () => {
      await addReceiver(world, receiver, ['shop.*'])
      const fan = await newFan(world)
      const data = { sequence: 'theirs', source: 'theirs' }
      await happen(world, fan, { type: 'shop.purchase', source: 'shop', data })
      await drain(world, dispatcher)
      expect(receiver.received[0]?.body.data).toMatchObject({
        userId: fan,
        sequence: 1,
        source: 'shop',
        data,
      })
    })

    test('leaves out data that is too large', async () => {
      await addReceiver(world, receiver, ['*'])
      const fan = await newFan(world)
      await happen(world, fan, { data: { rewardId: 'é'.repeat(10_240) } })
      await drain(world, dispatcher)
      const [delivery] = receiver.received
      expect(Buffer.byteLength(delivery?.text ?? '')).toBeLessThan(1_000)
      expect(delivery?.body.data).toMatchObject({ userId: fan, sequence: 1, truncated: true })
    })

    test('is signed with both secrets for 24 hours after a rotation, and then with the new one', async () => {
      const { id, secret } = await addReceiver(world, receiver, ['*'])
      const fan = await newFan(world)
      const rotated = await world.db.write(tx => rotateSecret(tx, world.deps.webhookSecrets, id))
      if (rotated === undefined) throw new Error('no secret')
      const signatures = async () => {
        await happen(world, fan)
        await drain(world, dispatcher)
        const { text, headers } = receiver.received.at(-1) as (typeof receiver.received)[number]
        const at = new Date(Number(headers['webhook-timestamp']) * 1000)
        const sign = (with_: string) => new Webhook(with_).sign(headers['webhook-id'] ?? '', at, text)
        return { sent: headers['webhook-signature'], old: sign(secret), fresh: sign(rotated) }
      }
      world.clock.advance(DAY - 1)
      const before = await signatures()
      expect(before.sent).toBe(`${before.fresh} ${before.old}`)
      world.clock.advance(1)
      const after = await signatures()
      expect(after.sent).toBe(after.fresh)
    })
  })

  describe('the events that are delivered', () => {
    test('each committed event once to each endpoint that asked for its type, and no other', async () => {
      const other = startReceiver()
      try {
        await addReceiver(world, receiver, ['reward.claimed', 'pack.*'])
        await addReceiver(world, other, ['*'])
        const fan = await newFan(world)
        await happen(world, fan)
        await happen(world, fan, { type: 'reward.redeemed' })
        await happen(world, fan, { type: 'pack.opened' })
        await drain(world, dispatcher)
        expect(receiver.order()).toEqual([`${fan} 1`, `${fan} 3`])
        expect(other.order()).toEqual([`${fan} 1`, `${fan} 2`, `${fan} 3`])
      } finally {
        await other.stop()
      }
    })

    test('no event from before the endpoint was added, even if it was not distributed yet', async () => {
      await addReceiver(world, receiver, ['*'])
      const fan = await newFan(world)
      await dispatcher.stop()
      await happen(world, fan)
      const late = startReceiver()
      try {
        await addReceiver(world, late, ['*'])
        await happen(world, fan)
        dispatcher = dispatcherOf(world)
        await drain(world, dispatcher)
        expect(receiver.order()).toEqual([`${fan} 1`, `${fan} 2`])
        expect(late.order()).toEqual([`${fan} 2`])
      } finally {
        await late.stop()
      }
    })

    test('nothing of a unit of work that is rolled back', async () => {
      await addReceiver(world, receiver, ['*'])
      const fan = await newFan(world)
      const event = { source: 'matchday', eventId: 'one', userId: fan, type: 'reward.claimed' }
      const failed = world.db.write(async tx => {
        await writeEvent(tx, { ...event, occurredAt: tx.now(), data: {} })
        throw new Error('rolled back')
      })
      await expect(failed).rejects.toThrow('rolled back')
      await happen(world, fan, { type: 'reward.redeemed' })
      await drain(world, dispatcher)
      expect(receiver.received.map(({ body }) => [body.type, body.data.sequence])).toEqual([
        ['reward.redeemed', 1],
      ])
    })

    test('the events of a fan in their order, while one of them is retried, and other fans meanwhile', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      const [slow, quick] = [await newFan(world), await newFan(world)]
      receiver.behave(({ body }) =>
        body.data.userId === slow ? new Response('not yet', { status: 500 }) : undefined,
      )
      await happen(world, slow)
      await happen(world, slow)
      await happen(world, quick)
      await happen(world, quick)
      await drain(world, dispatcher)
      expect(receiver.order().toSorted()).toEqual([`${slow} 1`, `${quick} 1`, `${quick} 2`].toSorted())
      expect(await deliveriesOf(world, id, slow)).toMatchObject([
        { state: 'pending', attempts: 1, status: 500, response: 'not yet' },
        { state: 'pending', attempts: 0, status: null, response: null },
      ])
      receiver.behave(undefined)
      await happen(world, slow)
      world.clock.advance(6_000)
      receiver.received.length = 0
      await drain(world, dispatcher)
      expect(receiver.order()).toEqual([`${slow} 1`, `${slow} 2`, `${slow} 3`])
      expect(await statesOf(world, id)).toEqual(Array(5).fill('delivered'))
      expect(await world.db.read.select().from(world.db.tables.webhookLanes)).toEqual([])
    })

    test('the same bytes under the same id at every attempt', async () => {
      await addReceiver(world, receiver, ['*'])
      receiver.behave((_, count) => (count < 3 ? new Response(null, { status: 503 }) : undefined))
      await happen(world, await newFan(world))
      await drain(world, dispatcher)
      world.clock.advance(6_000)
      await drain(world, dispatcher)
      world.clock.advance(6 * MINUTE)
      await drain(world, dispatcher)
      const [first, ...others] = receiver.received.map(({ text, headers }) => [text, headers['webhook-id']])
      expect(others).toEqual([first, first] as typeof others)
      const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
      expect(times.map(time => time - (times[0] ?? 0))).toEqual([0, 6, 366])
    })
  })

  describe('a delivery that fails', () => {
    test('is attempted ten times, each about as late as scheduled, and then the next one follows', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      const fan = await newFan(world)
      receiver.behave(({ body }) =>
        body.data.sequence === 1 ? new Response(null, { status: 500 }) : undefined,
      )
      await happen(world, fan)
      await happen(world, fan)
      await drain(world, dispatcher)
      const waits: number[] = []
      for (let attempts = 1; attempts < 10; attempts++) {
        expect(receiver.received).toHaveLength(attempts)
        const [lane] = await world.db.read.select().from(world.db.tables.webhookLanes)
        const wait = (lane?.nextAttemptAt.getTime() ?? 0) - world.clock.ms
        waits.push(wait)
        world.clock.advance(wait - 1)
        await drain(world, dispatcher)
        expect(receiver.received).toHaveLength(attempts)
        world.clock.advance(1)
        await drain(world, dispatcher)
      }
      const scheduled = [
        5_000,
        5 * MINUTE,
        30 * MINUTE,
        2 * HOUR,
        5 * HOUR,
        10 * HOUR,
        14 * HOUR,
        20 * HOUR,
        DAY,
      ]
      for (const [at, wait] of waits.entries()) {
        expect(Math.abs(wait / (scheduled[at] ?? 0) - 1)).toBeLessThanOrEqual(0.1001)
      }
      expect(receiver.order()).toEqual([...Array(10).fill(`${fan} 1`), `${fan} 2`])
      expect(await statesOf(world, id)).toEqual(['failed', 'delivered'])
    })

    test.each([
      ['seconds', () => ({ 'retry-after': '120' })],
      [
        'a date by its own clock',
        () => ({ date: 'Sun, 01 Mar 2020 12:00:00 GMT', 'retry-after': 'Sun, 01 Mar 2020 12:02:00 GMT' }),
      ],
    ])('is attempted no sooner than the receiver asks for in %s', async (_, headers) => {
      await addReceiver(world, receiver, ['*'])
      receiver.behave(() => new Response(null, { status: 429, headers: headers() }))
      await happen(world, await newFan(world))
      await drain(world, dispatcher)
      world.clock.advance(120_000 - 1)
      await drain(world, dispatcher)
      expect(receiver.received).toHaveLength(1)
      world.clock.advance(1)
      await drain(world, dispatcher)
      expect(receiver.received).toHaveLength(2)
    })

    test('is not postponed for longer than a day, whatever the receiver asks for', async () => {
      await addReceiver(world, receiver, ['*'])
      receiver.behave(() => new Response(null, { status: 503, headers: { 'retry-after': '999999999' } }))
      await happen(world, await newFan(world))
      await drain(world, dispatcher)
      world.clock.advance(DAY)
      await drain(world, dispatcher)
      expect(receiver.received).toHaveLength(2)
    })
  })

  describe('an endpoint', () => {
    /** A new application, since notices are read once a second. */
    async function readiness() {
      const response = await createApp(world.deps).handle(new Request('http://localhost/readyz'))
      const { checks } = (await response.json()) as { checks: { webhooks?: string } }
      return [response.status, checks.webhooks]
    }

    test('is disabled by 410, keeps later events, and receives them in order once it is enabled', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      const fan = await newFan(world)
      receiver.behave(() => new Response(null, { status: 410 }))
      await happen(world, fan)
      await drain(world, dispatcher)
      expect(await endpointOf(world, id)).toMatchObject({ disabledReason: 'gone' })
      receiver.behave(undefined)
      await happen(world, fan)
      world.clock.advance(DAY)
      await drain(world, dispatcher)
      expect(receiver.received).toHaveLength(1)
      expect(await statesOf(world, id)).toEqual(['pending', 'pending'])
      expect(await world.db.write(tx => enableEndpoint(tx, id))).toBe(true)
      await drain(world, dispatcher)
      expect(receiver.order()).toEqual([`${fan} 1`, `${fan} 1`, `${fan} 2`])
    })

    test('that failed for five days is disabled, logged, and counted by /readyz, which stays 200 and names no endpoint', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      receiver.behave(() => new Response(null, { status: 500 }))
      await happen(world, await newFan(world))
      await drain(world, dispatcher)
      const since = world.clock.ms
      world.clock.advance(5 * DAY - 1)
      await drain(world, dispatcher)
      expect(await endpointOf(world, id)).toMatchObject({ disabledAt: null, failingSince: new Date(since) })
      expect(await readiness()).toEqual([200, undefined])
      await happen(world, await newFan(world))
      world.clock.advance(1)
      await drain(world, dispatcher)
      expect(await endpointOf(world, id)).toMatchObject({ disabledReason: 'failing' })
      expect(await readiness()).toEqual([200, 'disabled: 1'])
      const lines = () =>
        world.logged.filter(line => line.includes('webhook endpoint disabled') && line.includes(id))
      // Logged when the unit of work is durable, which may be after it is visible.
      await waitUntil('it is logged', () => lines().length > 0)
      expect(lines().map(line => JSON.parse(line))).toMatchObject([
        { level: 50, endpointId: id, reason: 'failing' },
      ])
      expect(world.logged.join()).not.toContain('of-the-receiver')
    })

    test('that succeeds once counts its failures from zero', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      receiver.behave((_, count) => (count === 2 ? undefined : new Response(null, { status: 500 })))
      const fan = await newFan(world)
      await happen(world, fan)
      await drain(world, dispatcher)
      world.clock.advance(4 * DAY)
      await drain(world, dispatcher)
      expect(await endpointOf(world, id)).toMatchObject({ failingSince: null })
      await happen(world, fan)
      world.clock.advance(4 * DAY)
      await drain(world, dispatcher)
      expect(await endpointOf(world, id)).toMatchObject({ disabledAt: null, failingSince: world.clock.now() })
    })

    test('that operators disable is not reported by /readyz', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      await world.db.write(tx => disableEndpoint(tx, id, 'operator'))
      expect(await readiness()).toEqual([200, undefined])
    })

    test('whose secret cannot be decrypted gets nothing, and its deliveries say why', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      const { webhookEndpoints } = world.db.tables
      await world.db.write(tx => tx.update(webhookEndpoints).set({ encryptedSecret: 'of another key' }))
      await happen(world, await newFan(world))
      await drain(world, dispatcher)
      expect(receiver.received).toEqual([])
      expect(await deliveriesOf(world, id)).toMatchObject([
        { state: 'pending', status: null, response: 'its secret cannot be decrypted' },
      ])
    })
  })

  describe('kept deliveries', () => {
    test('are replayed from a time, each fan in order, failed ones included', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      const [one, other] = [await newFan(world), await newFan(world)]
      await happen(world, one)
      world.clock.advance(HOUR)
      const since = world.clock.now()
      for (const fan of [one, other, one, other, one]) await happen(world, fan)
      await drain(world, dispatcher)
      receiver.received.length = 0
      expect(await replayDeliveries(world.db, id, since)).toBe(5)
      await happen(world, one)
      await drain(world, dispatcher)
      const ofFan = (fan: string) => receiver.order().filter(line => line.startsWith(fan))
      expect(ofFan(one)).toEqual([2, 3, 4, 5].map(sequence => `${one} ${sequence}`))
      expect(ofFan(other)).toEqual([1, 2].map(sequence => `${other} ${sequence}`))
    })

    test('are retried as new ones when they are replayed, regardless of earlier failures', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      receiver.behave(() => new Response(null, { status: 500 }))
      await happen(world, await newFan(world))
      await drain(world, dispatcher)
      for (const wait of [6_000, 6 * MINUTE, 40 * MINUTE]) {
        world.clock.advance(wait)
        await drain(world, dispatcher)
      }
      expect(receiver.received).toHaveLength(4)
      await replayDeliveries(world.db, id, new Date(0))
      await drain(world, dispatcher)
      world.clock.advance(6_000)
      await drain(world, dispatcher)
      expect(receiver.received).toHaveLength(6)
    })

    test('are deleted 30 days after their event, pending or not, and delay nothing', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      const fan = await newFan(world)
      await happen(world, fan)
      await drain(world, dispatcher)
      await world.db.write(tx => disableEndpoint(tx, id, 'operator'))
      await happen(world, fan)
      await drain(world, dispatcher)
      world.clock.advance(30 * DAY)
      await sweepDeliveries(world.db)
      expect(await statesOf(world, id)).toEqual(['delivered', 'pending'])
      world.clock.advance(1)
      await sweepDeliveries(world.db)
      expect(await statesOf(world, id)).toEqual([])
      await world.db.write(tx => enableEndpoint(tx, id))
      await drain(world, dispatcher)
      expect(await world.db.read.select().from(world.db.tables.webhookLanes)).toEqual([])
      await happen(world, fan)
      await drain(world, dispatcher)
      expect(receiver.order()).toEqual([`${fan} 1`, `${fan} 3`])
    })

    test('that were added while their endpoint was being removed are deleted, and no others', async () => {
      const [removed, kept] = [
        await addReceiver(world, receiver, ['*']),
        await addReceiver(world, receiver, ['*']),
      ]
      for (const { id } of [removed, kept]) await world.db.write(tx => disableEndpoint(tx, id, 'operator'))
      await happen(world, await newFan(world))
      await drain(world, dispatcher)
      const { webhookEndpoints, webhookLanes } = world.db.tables
      await world.db.write(tx => tx.delete(webhookEndpoints).where(eq(webhookEndpoints.id, removed.id)))
      await sweepDeliveries(world.db)
      expect(await statesOf(world, removed.id)).toEqual([])
      expect(await statesOf(world, kept.id)).toEqual(['pending'])
      const lanes = await world.db.read.select().from(webhookLanes)
      expect(lanes.map(({ endpointId }) => endpointId)).toEqual([kept.id])
    })

    test('of an erased fan are deleted', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      const [gone, other] = [await newFan(world), await newFan(world)]
      await world.db.write(tx => disableEndpoint(tx, id, 'operator'))
      for (const fan of [gone, other]) await happen(world, fan)
      await world.db.write(tx => eraseUser(tx, { id: gone }))
      await world.db.write(tx => enableEndpoint(tx, id))
      await drain(world, dispatcher)
      expect(receiver.order()).toEqual([`${other} 1`])
    })
  })
})
