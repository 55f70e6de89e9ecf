/** Sending: order, retries, dead devices, services that hang, and what is decided when a push is sent. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { quietUntil } from '../../../src/delivery/push/decide.ts'
import { createPushDispatcher } from '../../../src/delivery/push/dispatcher.ts'
import { enqueuePushes, type Push, sweepPushes } from '../../../src/delivery/push/enqueue.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { overrideSettings } from '../../support/settings.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import {
  deliveriesOf,
  devicesOf,
  knownFan,
  manyFans,
  newSubscription,
  pushOf,
  putDevice,
  servePushes,
} from './push-world.ts'

const SECOND = 1_000
const HOUR = 3_600_000
let made = 0

onEachEngine('A push', world => {
  let service: ReturnType<typeof servePushes>
  let dispatcher: ReturnType<typeof createPushDispatcher>
  beforeAll(() => {
    service = servePushes()
    dispatcher = createPushDispatcher({ ...world.deps, giveWay: () => Promise.resolve() })
  })
  afterAll(async () => {
    await dispatcher.stop()
    await service.stop()
  })
  afterEach(() => service.answers.clear())

  const queue = (...pushes: Push[]) => world.db.write(tx => enqueuePushes(tx, pushes))
  /** A fan with a browser. */
  async function subscribed(fan?: Awaited<ReturnType<typeof knownFan>>) {
    const of = fan ?? (await knownFan(world))
    const path = `/${++made}`
    const browser = newSubscription(`${service.url}${made}`)
    expectStatus(
      201,
      await putDevice(of, `browser-${made}`, { kind: 'webpush', subscription: browser.subscription }),
    )
    return { fan: of, id: of.id, path, browser, titles: () => service.titlesOf(path, browser) }
  }
  const states = async (userId: string) =>
    (await deliveriesOf(world, userId)).map(({ state, reason }) =>
      reason === null ? state : `${state}: ${reason}`,
    )
  /** Until all have ended, or wait for later. */
  const settled = (userId: string, expected: string[], advanceMs = 0) =>
    waitUntil(expected.join(' '), async () => {
      world.clock.advance(advanceMs)
      await dispatcher.poll()
      return Bun.deepEquals(await states(userId), expected)
    })
  const attempted = (userId: string) =>
    waitUntil('an attempt', async () => (await deliveriesOf(world, userId))[0]?.attempts === 1)

  test('reaches the device after the commit, encrypted, and only once', async () => {
    const { id, path, titles } = await subscribed()
    const push = pushOf(id, { title: 'One', collapseKey: 'score' })
    await queue(push)
    await settled(id, ['sent'])
    await queue(push)
    await settled(id, ['sent'])
    expect(titles()).toEqual(['One'])
    const [sent] = service.got.filter(of => of.path === path)
    expect(sent?.topic).toMatch(/^[\w-]{32}$/)
    expect(sent?.authorization).toMatch(/^vapid t=.+, k=.+$/)
    const [row] = await deliveriesOf(world, id)
    expect(row).toMatchObject({ content: null, leaseEndsAt: null, status: 201, attempts: 1 })
  })

  test('is sent in order, also after a failed attempt', async () => {
    const { id, path, titles } = await subscribed()
    let failures = 1
    service.answers.set(path, () => new Response(null, { status: failures-- > 0 ? 500 : 201 }))
    await queue(
      pushOf(id, { title: 'First' }),
      pushOf(id, { title: 'Second' }),
      pushOf(id, { title: 'Third' }),
    )
    await attempted(id)
    expect(await states(id)).toEqual(['pending', 'pending', 'pending'])
    world.clock.advance(6 * SECOND)
    await settled(id, ['sent', 'sent', 'sent'], 2 * SECOND)
    expect(titles()).toEqual(['First', 'First', 'Second', 'Third'])
  })

  test.each([404, 410])('removes a device that is gone: %d', async status => {
    const { fan, id, path } = await subscribed()
    service.answers.set(path, () => new Response(null, { status }))
    await queue(pushOf(id))
    await settled(id, ['failed: gone'])
    expect(await devicesOf(fan)).toEqual([])
  })

  test('waits as long as the service asks', async () => {
    const own = servePushes()
    try {
      const fan = await knownFan(world)
      const { subscription } = newSubscription(`${own.url}busy`)
      expectStatus(201, await putDevice(fan, 'browser', { kind: 'webpush', subscription }))
      const busy = () => new Response(null, { status: 429, headers: { 'retry-after': '600' } })
      own.answers.set('/busy', busy)
      await queue(pushOf(fan.id))
      await attempted(fan.id)
      own.answers.clear()
      world.clock.advance(599 * SECOND)
      await dispatcher.poll()
      expect(own.got).toHaveLength(1)
      world.clock.advance(2 * SECOND)
      await settled(fan.id, ['sent'])
    } finally {
      await own.stop()
    }
  })

  test.each([401, 403, 413])('that a service refuses is not repeated, and is reported: %d', async status => {
    const { id, path } = await subscribed()
    service.answers.set(path, () => new Response(null, { status }))
    await queue(pushOf(id))
    await settled(id, ['failed: wrong'])
    await waitUntil('it is reported', () =>
      world.logged.some(line => line.includes('a push service refuses')),
    )
    const { pushServices } = world.db.tables
    const name = `webpush:${new URL(service.url).host}`
    const [row] = await world.db.read.select().from(pushServices).where(eq(pushServices.name, name))
    expect(row).toMatchObject({ refusal: String(status) })
  })

  test('does not wait for a device or a service that hangs', async () => {
    const hanging = servePushes()
    const { promise, resolve } = Promise.withResolvers<Response>()
    try {
      const [slow, quick] = [await knownFan(world), await subscribed()]
      const { subscription } = newSubscription(`${hanging.url}hangs`)
      expectStatus(201, await putDevice(slow, 'browser', { kind: 'webpush', subscription }))
      hanging.answers.set('/hangs', () => promise)
      await queue(pushOf(slow.id), pushOf(quick.id))
      await settled(quick.id, ['sent'])
      expect(await states(slow.id)).toEqual(['pending'])
      resolve(new Response(null, { status: 201 }))
      await settled(slow.id, ['sent'])
    } finally {
      resolve(new Response())
      await hanging.stop()
    }
  })

  test('waits for no other service, and no other request, while many services hang', async () => {
    const hanging = Array.from({ length: 5 }, servePushes)
    const { promise, resolve } = Promise.withResolvers<void>()
    const pushes: Push[] = []
    try {
      for (const [nth, { answers, url }] of hanging.entries())
        for (const device of Array.from({ length: 20 }, (_, of) => `${nth}-${of}`)) {
          const fan = await knownFan(world)
          answers.set(`/${device}`, () => promise.then(() => new Response(null, { status: 201 })))
          const { subscription } = newSubscription(`${url}${device}`)
          expectStatus(201, await putDevice(fan, 'browser', { kind: 'webpush', subscription }))
          pushes.push(pushOf(fan.id))
        }
      for (const bulk of [false, true])
        await world.db.write(tx =>
          enqueuePushes(
            tx,
            bulk ? pushes.map(push => ({ ...push, messageId: `${push.messageId}b` })) : pushes,
            { bulk },
          ),
        )
      await dispatcher.poll()
      const quick = await subscribed()
      await queue(pushOf(quick.id))
      await settled(quick.id, ['sent'])
      expect(await (await fetch(`${service.url}other`)).text()).toBe('')
      const attempts = hanging.reduce((sum, { waiting }) => sum + waiting.size, 0)
      expect(attempts).toBeGreaterThan(0)
      expect(attempts).toBeLessThanOrEqual(32)
    } finally {
      resolve()
      for (const { userId } of pushes) await settled(userId, ['sent', 'sent'], SECOND)
      await Promise.all(hanging.map(({ stop }) => stop()))
    }
  })

  test('to a single fan is claimed before 1,000 of a campaign that wait for the same service', async () => {
    const busy = servePushes()
    const { promise, resolve } = Promise.withResolvers<void>()
    const isSent = ({ state }: { state: string }) => state === 'sent'
    const { pushDeliveries } = world.db.tables
    const ofCampaign = () =>
      world.db.read.select().from(pushDeliveries).where(eq(pushDeliveries.category, 'social'))
    try {
      const ids = await manyFans(world, 1_001, busy.url)
      const [single = '', ...fans] = ids
      for (const id of fans)
        busy.answers.set(`/${id}`, () => promise.then(() => new Response(null, { status: 201 })))
      const campaign = fans.map(id => pushOf(id, { category: 'social' }))
      await world.db.write(tx => enqueuePushes(tx, campaign, { bulk: true }))
      await dispatcher.poll()
      await waitUntil('the campaign has begun', () => busy.waiting.size > 0)
      await queue(pushOf(single))
      await settled(single, ['sent'])
      expect((await ofCampaign()).filter(isSent)).toEqual([])
      resolve()
      await waitUntil('the campaign is sent', async () => {
        await dispatcher.poll()
        return (await ofCampaign()).every(isSent)
      })
      expect(busy.got).toHaveLength(1_001)
    } finally {
      resolve()
      await busy.stop()
    }
  })

  test('to a single fan waits for no campaigns of several services that answer slowly', async () => {
    const services = [servePushes(), servePushes()]
    const { promise, resolve } = Promise.withResolvers<void>()
    try {
      const fans: string[] = []
      for (const { url, answers } of services) {
        const ids = await manyFans(world, 201, url)
        // The first one is answered: the service is known to answer.
        for (const id of ids.slice(1))
          answers.set(`/${id}`, () => promise.then(() => new Response(null, { status: 201 })))
        const [first = '', ...rest] = ids
        await world.db.write(tx => enqueuePushes(tx, [pushOf(first)], { bulk: true }))
        await settled(first, ['sent'])
        await world.db.write(tx =>
          enqueuePushes(
            tx,
            rest.map(id => pushOf(id)),
            { bulk: true },
          ),
        )
        fans.push(...rest)
      }
      await dispatcher.poll()
      const inFlight = () => services.reduce((sum, { waiting }) => sum + waiting.size, 0)
      await waitUntil('all attempts of campaigns are in use', () => inFlight() === 128)
      const quick = await subscribed()
      await queue(pushOf(quick.id))
      await settled(quick.id, ['sent'])
      expect(inFlight()).toBe(128)
      resolve()
      for (const id of fans) await settled(id, ['sent'])
    } finally {
      resolve()
      await Promise.all(services.map(({ stop }) => stop()))
    }
  })

  test('is not sent to a suspended fan, in a category that is off, or from a fan who is blocked or muted', async () => {
    const [off, suspended] = [await subscribed(), await subscribed()]
    expectStatus(200, await off.fan.patch('/api/user/notifications', { match: { push: false } }))
    const decision = { fanId: suspended.id, kind: 'suspend', reason: 'spam', decidedBy: 'Ana' } as const
    const until = new Date(world.clock.ms + HOUR)
    await world.db.write(tx => recordDecision(tx, { ...decision, until }))
    await queue(pushOf(off.id), pushOf(suspended.id), pushOf(off.id, { category: 'marketing' }))
    await settled(off.id, ['skipped: switched_off', 'skipped: switched_off'], SECOND)
    // Also the message about the suspension.
    await settled(suspended.id, ['skipped: not_reachable', 'skipped: not_reachable'])
    for (const relation of ['blocks', 'mutes']) {
      const [to, sender] = [await subscribed(), await knownFan(world)]
      const handle = `h${++made}x${sender.id.slice(-6)}`
      expectStatus(200, await sender.patch('/api/user/profile', { handle }))
      expect((await to.fan.put(`/api/user/${relation}/${handle}`)).status).toBeLessThan(300)
      await queue(pushOf(to.id, { senderId: sender.id }))
      await settled(to.id, ['skipped: sender_blocked'])
    }
  })

  test('counts for the limit of a day by message, not by device', async () => {
    const restore = overrideSettings(world.db, { pushesPerDay: 2 })
    try {
      const first = await subscribed()
      await subscribed(first.fan)
      const sent = await queue(pushOf(first.id), pushOf(first.id), pushOf(first.id))
      expect(sent).toBe(6)
      const limit = 'skipped: daily_limit'
      await settled(first.id, ['sent', 'sent', 'sent', 'sent', limit, limit], SECOND)
      world.clock.advance(25 * HOUR)
      await queue(pushOf(first.id))
      await settled(first.id, ['sent', 'sent', 'sent', 'sent', limit, limit, 'sent', 'sent'], SECOND)
    } finally {
      restore()
    }
  })

  test('counts for the day in the zone of the fan', async () => {
    const restore = overrideSettings(world.db, { pushesPerDay: 1 })
    try {
      const [tokyo, club] = [await subscribed(), await subscribed()]
      expectStatus(200, await tokyo.fan.patch('/api/user/notifications', { timeZone: 'Asia/Tokyo' }))
      // Noon in the zone of the club, and three hours before midnight in Tokyo.
      world.clock.advance((36 * HOUR - (world.clock.ms % (24 * HOUR))) % (24 * HOUR))
      const limit = 'skipped: daily_limit'
      for (const { id } of [tokyo, club]) {
        await queue(pushOf(id), pushOf(id))
        await settled(id, ['sent', limit], SECOND)
      }
      world.clock.advance(4 * HOUR)
      for (const { id } of [tokyo, club]) await queue(pushOf(id))
      await settled(tokyo.id, ['sent', limit, 'sent'])
      await settled(club.id, ['sent', limit, limit])
    } finally {
      restore()
    }
  })

  test('waits for the end of the quiet hours', async () => {
    const { fan, id } = await subscribed()
    const hour = world.clock.now().getUTCHours()
    const at = (of: number) => `${String((of + 24) % 24).padStart(2, '0')}:00`
    const quiet = { from: at(hour), to: at(hour + 2) }
    expectStatus(200, await fan.patch('/api/user/notifications', { quiet, timeZone: 'UTC' }))
    await queue(pushOf(id))
    await waitUntil('the end of the quiet hours', async () => {
      const [row] = await deliveriesOf(world, id)
      return row?.dueAt.toISOString().slice(11, 16) === quiet.to
    })
    world.clock.advance(2 * HOUR)
    await settled(id, ['sent'])
  })

  test('is sent at once when the fan ends the quiet hours, in order and with those that came later', async () => {
    const { fan, id, titles } = await subscribed()
    const hour = world.clock.now().getUTCHours()
    const at = (of: number) => `${String((of + 24) % 24).padStart(2, '0')}:00`
    const quiet = { from: at(hour), to: at(hour + 2) }
    const held = async (count: number) => {
      const rows = await deliveriesOf(world, id)
      const waiting = rows.filter(row => row.dueAt.toISOString().slice(11, 16) === quiet.to)
      return waiting.length === count && waiting.every(({ reason }) => reason === 'quiet_hours')
    }
    expectStatus(200, await fan.patch('/api/user/notifications', { quiet, timeZone: 'UTC' }))
    await queue(pushOf(id, { title: 'First' }))
    await waitUntil('the first is held', () => held(1))
    // It does not wait behind the first: it is decided, too.
    await queue(pushOf(id, { title: 'Second' }))
    await waitUntil('the second is held', () => held(2))
    // Still quiet: they are decided again, and stay held.
    expectStatus(200, await fan.patch('/api/user/notifications', { timeZone: 'Etc/UTC' }))
    await waitUntil('both are held again', () => held(2))
    expect(titles()).toEqual([])
    expectStatus(200, await fan.patch('/api/user/notifications', { quiet: null }))
    await queue(pushOf(id, { title: 'Third' }))
    await settled(id, ['sent', 'sent', 'sent'], SECOND)
    expect(titles()).toEqual(['First', 'Second', 'Third'])
  })

  test('is deleted after 30 days', async () => {
    const { id } = await subscribed()
    await queue(pushOf(id))
    await settled(id, ['sent'])
    world.clock.advance(31 * 24 * HOUR)
    await sweepPushes(world.db)
    expect(await deliveriesOf(world, id)).toEqual([])
  })
})

test('quiet hours end at the local time, also when clocks change', () => {
  const until = (at: string, from: number, to: number) =>
    quietUntil(new Date(at), { quiet: { from, to }, timeZone: 'Europe/Madrid' })?.toISOString() ?? null
  // 22:00 to 07:00. Clocks go forward on 29 March 2026, and back on 25 October.
  expect(until('2026-03-28T21:30:00Z', 1_320, 420)).toBe('2026-03-29T05:00:00.000Z')
  expect(until('2026-10-24T21:30:00Z', 1_320, 420)).toBe('2026-10-25T06:00:00.000Z')
  expect(until('2026-10-25T05:59:00Z', 1_320, 420)).toBe('2026-10-25T06:00:00.000Z')
  expect(until('2026-10-25T06:00:00Z', 1_320, 420)).toBeNull()
  // 02:30 does not exist on 29 March: it ends when the clocks show 03:30.
  expect(until('2026-03-29T00:30:00Z', 60, 150)).toBe('2026-03-29T01:30:00.000Z')
  // 02:30 comes twice on 25 October, and so does the time before.
  expect(until('2026-10-25T00:10:00Z', 1_320, 150)).toBe('2026-10-25T00:30:00.000Z')
  expect(until('2026-10-25T00:40:00Z', 1_320, 150)).toBeNull()
  expect(until('2026-10-25T01:10:00Z', 1_320, 150)).toBe('2026-10-25T01:30:00.000Z')
  expect(until('2026-10-25T01:30:00Z', 1_320, 150)).toBeNull()
  expect(until('2026-07-01T14:00:00Z', 720, 900)).toBeNull()
})
