/** POST /api/events: every outcome of an event, what a batch promises, and who may report. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { asc, eq } from 'drizzle-orm'
import { LedgerMismatchError } from '../../../src/economy/ledgers/chain.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { findUser } from '../../../src/identity/users/users.ts'
import { DAY, MINUTE, userIdOf } from '../../play/packs/packs-world.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { addRule, entriesOf, unique } from '../rules/rules-world.ts'
import { eventOf, TYPE } from './events-world.ts'
import { forgetListeners, listen } from './listener.ts'

const at = (world: World, ms: number) => new Date(world.clock.ms + ms).toISOString()

onEachEngine('Reporting events', world => {
  forgetListeners(world)
  let gate: Client
  beforeAll(async () => {
    gate = world.withToken(await world.serverKey(['events:write'], { source: 'gate' }))
  })

  const report = async (...events: unknown[]) => {
    const { status, body } = await gate.post('/api/events', { events })
    expect(status).toBe(200)
    return body.results
  }
  const recorded = async (id: string, source = 'gate') => {
    const { events } = world.db.tables
    const rows = await world.db.read.select().from(events).where(eq(events.eventId, id))
    return rows.filter(row => row.source === source)
  }

  test('records an event of an unknown fan, who has the record at the first sign-in', async () => {
    await listen(world, TYPE)
    const fan = await world.fan()
    const event = eventOf(world, {
      fan: { provider: world.config.identity.name, subject: fan.subject },
      data: { gate: 7 },
    })
    expect(await report(event)).toEqual([{ id: event.id, outcome: 'applied', grants: [] }])
    const userId = await userIdOf(world, fan)
    expect(await recorded(event.id)).toMatchObject([
      { userId, sequence: 1, type: TYPE, data: '{"gate":7}', occurredAt: new Date(event.occurredAt) },
    ])
    expect((await fan.post('/api/user/profile', { bio: 'Here.' })).status).toBe(200)
  })

  test('records an event that nothing listens to, and says so', async () => {
    const event = eventOf(world)
    expect(await report(event)).toEqual([{ id: event.id, outcome: 'ignored', grants: [] }])
    expect(await recorded(event.id)).toHaveLength(1)
  })

  test('returns what each rule granted, also for a repeat', async () => {
    const [one, other] = [await addRule(world), await addRule(world)].toSorted((a, b) =>
      a.id < b.id ? -1 : 1,
    )
    const type = unique('test.granted')
    for (const rule of [one, other])
      await addRule(world, { ...rule, eventType: type, limit: { count: 1, per: 'ever' } })
    const fan = { provider: world.config.identity.name, subject: unique('visitor') }
    const [event, again] = [eventOf(world, { type, fan }), eventOf(world, { type, fan })]
    const grants = [one, other].map(rule => ({ ruleId: rule?.id, points: 10 }))
    expect(await report(event, again, event)).toEqual([
      { id: event.id, outcome: 'applied', grants },
      { id: again.id, outcome: 'applied', grants: [] },
      { id: event.id, outcome: 'duplicate', grants },
    ])
    const user = await findUser(world.db.read, fan)
    expect((await entriesOf(world, user?.id ?? '')).map(({ reason, delta }) => [reason, delta])).toEqual([
      ['rule', 10],
      ['rule', 10],
    ])
  })

  test('recognises a repeat, in one batch, later, with members in another order, and by the fan’s id', async () => {
    await listen(world, TYPE)
    const event = eventOf(world, { data: { gate: 7, seat: { row: 1, number: 2 } } })
    const reordered = { ...event, data: { seat: { number: 2, row: 1 }, gate: 7 } }
    const [first, again] = await report(event, reordered)
    const duplicate = { id: event.id, outcome: 'duplicate', grants: [] }
    expect([first.outcome, again]).toEqual(['applied', duplicate])
    const user = await findUser(world.db.read, event.fan)
    const elsewhere = event.occurredAt.replace('Z', '+00:00')
    for (const repeat of [
      event,
      { ...event, fan: { userId: user?.id } },
      { ...event, occurredAt: elsewhere },
    ])
      expect(await report(repeat)).toEqual([duplicate])
    expect(await recorded(event.id)).toHaveLength(1)
  })

  test.each([
    ['data', { data: { gate: 8 } }],
    ['type', { type: 'stadium.left' }],
    ['time', { occurredAt: '2026-08-15T18:29:59.999Z' }],
    ['fan', { fan: { provider: 'mock-idp', subject: 'somebody-else' } }],
  ])('refuses an id that is used again with another %s, and keeps the first', async (_, change) => {
    const event = eventOf(world, { data: { gate: 7 } })
    await report(event)
    const [kept] = await recorded(event.id)
    expect(await report({ ...event, ...change })).toEqual([
      { id: event.id, outcome: 'refused', code: 'event_id_reused', grants: [] },
    ])
    expect(await recorded(event.id)).toEqual(kept ? [kept] : [])
  })

  test('treats the same id from two systems as two events', async () => {
    const shop = world.withToken(await world.serverKey(['events:write'], { source: 'shop' }))
    const event = eventOf(world)
    await report(event)
    const { body } = await shop.post('/api/events', { events: [event] })
    expect(body.results).toMatchObject([{ outcome: 'ignored' }])
    expect([...(await recorded(event.id)), ...(await recorded(event.id, 'shop'))]).toMatchObject([
      { sequence: 1 },
      { sequence: 2 },
    ])
  })

  test.each([
    ['exactly 30 days ago', -30 * DAY, undefined],
    ['a millisecond more than 30 days ago', -30 * DAY - 1, 'too_old'],
    ['exactly 5 minutes ahead', 5 * MINUTE, undefined],
    ['a millisecond more than 5 minutes ahead', 5 * MINUTE + 1, 'in_future'],
  ])('returns the outcome of an event of %s', async (_, by, code) => {
    const event = eventOf(world, { occurredAt: at(world, by) })
    const expected = code ? { outcome: 'refused', code } : { outcome: 'ignored' }
    expect(await report(event)).toEqual([{ id: event.id, grants: [], ...expected }])
    expect(await recorded(event.id)).toHaveLength(code ? 0 : 1)
    if (code) expect(await findUser(world.db.read, event.fan)).toBeUndefined()
  })

  test('recognises a repeat that has become too old', async () => {
    const event = eventOf(world, { occurredAt: at(world, -30 * DAY) })
    await report(event)
    world.clock.advance(MINUTE)
    expect(await report(event, { ...event, data: { other: true } })).toMatchObject([
      { outcome: 'duplicate' },
      { outcome: 'refused', code: 'event_id_reused' },
    ])
  })

  test.each([
    ['an unknown user id', { userId: 'nobody' }],
    ['another identity provider', { provider: 'elsewhere', subject: 'fan-0001' }],
  ])('refuses %s', async (_, fan) => {
    const event = eventOf(world, { fan })
    expect(await report(event)).toEqual([
      { id: event.id, outcome: 'refused', code: 'fan_not_found', grants: [] },
    ])
    expect(await recorded(event.id)).toEqual([])
  })

  test.each([
    'reward.claimed',
    'order.paid',
    'points.changed',
    'match.updated',
    'set.completed',
    'wallet.linked',
  ])('refuses %s, which the application records itself', async type => {
    const event = eventOf(world, { type })
    expect(await report(event)).toMatchObject([{ outcome: 'refused', code: 'type_reserved' }])
  })

  test('ignores a fan who was erased, by subject and by id, and records nothing', async () => {
    const caller = { provider: world.config.identity.name, subject: crypto.randomUUID() }
    const userId = await world.db.write(async tx => (await ensureUser(tx, caller)).user.id)
    await world.db.write(tx => eraseUser(tx, caller))
    for (const fan of [caller, { userId }]) {
      const event = eventOf(world, { fan })
      expect(await report(event)).toMatchObject([{ outcome: 'ignored', code: 'fan_erased' }])
      expect(await recorded(event.id)).toEqual([])
    }
  })

  test('keeps the order of results, and of the events of each fan', async () => {
    const name = world.config.identity.name
    const fans = ['order-1', 'order-2', 'order-3'].map(subject => ({ provider: name, subject }))
    const batch = Array.from({ length: 30 }, (_, n) => eventOf(world, { fan: fans[n % 3] }))
    const results: { id: string }[] = await report(...batch)
    expect(results.map(({ id }) => id)).toEqual(batch.map(({ id }) => id))
    const { events } = world.db.tables
    for (const fan of fans) {
      const user = await findUser(world.db.read, fan)
      const rows = await world.db.read
        .select()
        .from(events)
        .where(eq(events.userId, user?.id ?? ''))
        .orderBy(asc(events.sequence))
      const own = batch.filter(event => event.fan === fan)
      expect(rows.map(({ eventId }) => eventId)).toEqual(own.map(({ id }) => id))
      expect(rows.map(({ sequence }) => sequence)).toEqual(own.map((_, n) => n + 1))
    }
  })

  test('records the others of a batch when one is refused and one fails', async () => {
    await listen(world, TYPE, async (_, { userId, data }) => {
      if (data.damaged) throw new LedgerMismatchError(userId)
    })
    const [good, other] = [eventOf(world), eventOf(world)]
    const damaged = eventOf(world, { data: { damaged: true } })
    const results = await report(good, eventOf(world, { fan: { userId: 'nobody' } }), damaged, other)
    expect(results).toMatchObject([
      { outcome: 'applied' },
      { outcome: 'refused', code: 'fan_not_found' },
      { outcome: 'refused', code: 'internal_error' },
      { outcome: 'applied' },
    ])
    expect(await recorded(damaged.id)).toEqual([])
    expect(await report(other)).toMatchObject([{ outcome: 'duplicate' }])
    expect(world.logged.filter(line => line.includes('an event failed'))).not.toEqual([])
  })

  describe('refuses a batch as a whole, and names the place,', () => {
    const good = { id: 'a', type: TYPE, fan: { userId: 'u' }, occurredAt: '2026-08-15T18:30:00Z' }
    const cases: [string, unknown[], string][] = [
      ['of no events', [], '/events'],
      ['of 101 events', Array(101).fill(good), '/events'],
      ['with an empty id', [good, { ...good, id: '' }], '/events/1/id'],
      ['with an id of 129 characters', [{ ...good, id: 'x'.repeat(129) }], '/events/0/id'],
      ['with a type of one word', [{ ...good, type: 'purchase' }], '/events/0/type'],
      ['with a type in capitals', [{ ...good, type: 'Shop.Purchase' }], '/events/0/type'],
      ['with no instant', [{ ...good, occurredAt: '2026-02-30T00:00:00Z' }], '/events/0/occurredAt'],
      ['with a fan named twice', [{ ...good, fan: { userId: 'u', subject: 's' } }], '/events/0/fan'],
      ['with an unknown member', [{ ...good, points: 5 }], '/events/0/points'],
      ['with a list as data', [{ ...good, data: [1] }], '/events/0/data'],
      ['with 4097 bytes of data', [{ ...good, data: { a: 'x'.repeat(4_089) } }], '/events/0/data'],
      ['with 4098 bytes in 2053 characters', [{ ...good, data: { a: 'ü'.repeat(2_045) } }], '/events/0/data'],
    ]
    test.each(cases)('%s', async (_, events, pointer) => {
      const { status, body } = await gate.post('/api/events', { events })
      expect([status, body.code]).toEqual([422, 'validation_failed'])
      expect(body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
    })

    test('with a number that JSON parsers read as infinite', async () => {
      const { occurredAt } = good
      const text = `{"events":[{"id":"a","type":"${TYPE}","fan":{"userId":"u"},"occurredAt":"${occurredAt}","data":{"a":[1,1e400]}}]}`
      const { status, body } = await gate.send('/api/events', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      })
      expect([status, body.code]).toEqual([422, 'validation_failed'])
      expect(body.errors).toEqual([
        { pointer: '/events/0/data/a/1', message: 'must be a number of at most 1.79e308' },
      ])
    })

    test('with an integer that would be rounded, so that different numbers would be the same event', async () => {
      const { occurredAt } = good
      const textOf = (order: string) =>
        `{"events":[{"id":"o-${order}","type":"${TYPE}","fan":{"userId":"u"},"occurredAt":"${occurredAt}","data":{"order":${order}}}]}`
      for (const order of ['9007199254740993', '123456789012345678']) {
        const { status, body } = await gate.send('/api/events', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: textOf(order),
        })
        expect([status, body.code]).toEqual([422, 'validation_failed'])
        expect(body.errors).toEqual([
          {
            pointer: '/events/0/data/order',
            message: expect.stringContaining('send a longer id as a string'),
          },
        ])
      }
    })

    test('but accepts a hundred events with as much data as an event may have', async () => {
      const data = { text: 'x'.repeat(4_096 - '{"text":""}'.length) }
      const events = Array.from({ length: 100 }, () => eventOf(world, { data }))
      expect(
        (await report(...events)).every(({ outcome }: { outcome: string }) => outcome === 'ignored'),
      ).toBe(true)
    })

    test('but accepts 4096 bytes of data, counted in UTF-8', async () => {
      const data = { a: 'ü'.repeat(2_044) }
      expect(Buffer.byteLength(JSON.stringify(data))).toBe(4_096)
      expect(await report(eventOf(world, { data }))).toMatchObject([{ outcome: 'ignored' }])
    })
  })

  test('is for server keys with the scope only', async () => {
    const body = { events: [eventOf(world)] }
    const fan = await world.fan()
    const other = world.withToken(await world.serverKey(['points:write']))
    const answers = [world.anonymous, fan, other].map(caller => caller.post('/api/events', body))
    expect((await Promise.all(answers)).map(({ status, body }) => [status, body.code])).toEqual([
      [401, 'unauthenticated'],
      [401, 'invalid_server_key'],
      [403, 'insufficient_scope'],
    ])
  })

  test('of the same event by concurrent requests records it once', async () => {
    await listen(world, TYPE)
    const event = eventOf(world)
    const answers = await Promise.all(Array.from({ length: 20 }, () => report(event)))
    const outcomes = answers.map(([{ outcome }]) => outcome).toSorted()
    expect(outcomes).toEqual(['applied', ...Array(19).fill('duplicate')])
  })
})
