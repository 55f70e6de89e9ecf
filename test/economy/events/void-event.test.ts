/** POST /api/events/void: what is taken back, once, in whatever order event and void come. */
import { beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { NewEvent } from '../../../src/economy/events/event.ts'
import { recordEvent } from '../../../src/economy/events/record-event.ts'
import { voidEvent } from '../../../src/economy/events/void-event.ts'
import { readBalance } from '../../../src/economy/points/account.ts'
import { findUser } from '../../../src/identity/users/users.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import { addFan, addRule, entriesOf, spentOf, unique, usesOf } from '../rules/rules-world.ts'
import { eventOf } from './events-world.ts'
import { forgetListeners, listen } from './listener.ts'

onEachEngine('Voiding an event', world => {
  forgetListeners(world)
  let gate: Client
  beforeAll(async () => {
    gate = world.withToken(await world.serverKey(['events:write'], { source: 'gate' }))
  })

  const report = async (event: object) => {
    const { body } = await gate.post('/api/events', { events: [event] })
    return body.results[0]
  }
  const take = (id: string, note?: string) => gate.post('/api/events/void', { id, note })
  const rowOf = async (id: string) => {
    const { events } = world.db.tables
    return (await world.db.read.select().from(events).where(eq(events.eventId, id)))[0]
  }
  /** A rule of its own type, and a fan by subject. */
  async function prepare(fields: Parameters<typeof addRule>[1] = {}) {
    const { id: ruleId, eventType: type } = await addRule(world, fields)
    const fan = { provider: world.config.identity.name, subject: unique('holder') }
    const scan = () => eventOf(world, { type, fan })
    const userId = async () => (await findUser(world.db.read, fan))?.id ?? ''
    const points = async () => readBalance(world.db.read, await userId())
    return { ruleId, fan, scan, userId, points }
  }

  test('takes back what it earned, with the use of the limit and the share of the budget', async () => {
    const { ruleId, scan, userId, points } = await prepare({ limit: { count: 1, per: 'ever' }, budget: 15 })
    const [event, next] = [scan(), scan()]
    expect(await report(event)).toMatchObject({ grants: [{ ruleId, points: 10 }] })
    const { status, body } = await take(event.id, 'Ticket refunded.')
    expect([status, body]).toEqual([200, { id: event.id, taken: [{ ruleId, points: 10, uncollected: 0 }] }])
    expect(await points()).toEqual({ balance: 0, lifetime: 0 })
    expect(await rowOf(event.id)).toMatchObject({ voidNote: 'Ticket refunded.', sequence: 1 })
    expect(Object.values(await usesOf(world, ruleId))).toEqual([0])
    expect(await spentOf(world, ruleId)).toBe(0)
    expect(await report(next)).toMatchObject({ outcome: 'applied', grants: [{ ruleId, points: 10 }] })
    expect((await entriesOf(world, await userId())).map(({ reason }) => reason)).toEqual([
      'rule',
      'rule_void',
      'rule',
    ])
  })

  test('takes at most the balance, and returns the rest', async () => {
    const { ruleId, fan, scan, points } = await prepare()
    const event = scan()
    await report(event)
    await world.grant(fan, -7)
    expect((await take(event.id)).body.taken).toEqual([{ ruleId, points: 3, uncollected: 7 }])
    expect(await points()).toEqual({ balance: 0, lifetime: 7 })
  })

  test('a second time returns the same, also after the fan has earned more, and changes nothing', async () => {
    const { ruleId, fan, scan, points } = await prepare()
    const event = scan()
    await report(event)
    await world.grant(fan, -10)
    const taken = [{ ruleId, points: 0, uncollected: 10 }]
    expect((await take(event.id, 'first')).body.taken).toEqual(taken)
    await world.grant(fan, 50)
    expect((await take(event.id, 'second')).body.taken).toEqual(taken)
    expect((await points()).balance).toBe(50)
    expect((await rowOf(event.id))?.voidNote).toBe('first')
  })

  test('that earned nothing takes nothing', async () => {
    const event = eventOf(world)
    await report(event)
    expect((await take(event.id)).body).toEqual({ id: event.id, taken: [] })
  })

  test('leaves a repeat of the event a duplicate, which earns nothing again', async () => {
    const { ruleId, scan, points } = await prepare()
    const event = scan()
    await report(event)
    await take(event.id)
    expect(await report(event)).toEqual({
      id: event.id,
      outcome: 'duplicate',
      grants: [{ ruleId, points: 10 }],
    })
    expect((await points()).balance).toBe(0)
  })

  test('before it arrives is 404, is stored, and voids the event when it arrives', async () => {
    const { scan, userId, points } = await prepare()
    const event = scan()
    for (const _ of [1, 2]) {
      const { status, body } = await take(event.id, 'Never happened.')
      expect([status, body.code]).toEqual([404, 'event_not_found'])
    }
    for (const _ of [1, 2])
      expect(await report(event)).toEqual({ id: event.id, outcome: 'ignored', code: 'voided', grants: [] })
    expect(await points()).toEqual({ balance: 0, lifetime: 0 })
    expect(await entriesOf(world, await userId())).toEqual([])
    expect((await take(event.id)).status).toBe(404)
    const next = scan()
    await report(next)
    expect(await rowOf(next.id)).toMatchObject({ sequence: 1 })
  })

  test('of another system is 404, and keeps what it earned', async () => {
    const { scan, points } = await prepare()
    const event = scan()
    await report(event)
    const shop = world.withToken(await world.serverKey(['events:write']))
    expect((await shop.post('/api/events/void', { id: event.id })).status).toBe(404)
    expect((await points()).balance).toBe(10)
  })

  test('calls each reader once', async () => {
    const voided: NewEvent[] = []
    const onVoid = async (event: NewEvent) => void voided.push(event)
    await listen(world, 'reward.claimed', undefined, { onVoid })
    const userId = await addFan(world)
    const data = { rewardId: 'scarf' }
    const recorded = await world.db.write(tx => recordEvent(tx, { userId, type: 'reward.claimed', data }))
    const key = { source: 'matchday', eventId: recorded?.event.eventId ?? '' }
    for (const _ of [1, 2]) await world.db.write(tx => voidEvent(tx, key))
    expect(voided).toMatchObject(recorded ? [recorded.event] : [])
  })

  test('by concurrent requests takes the points once', async () => {
    const { ruleId, fan, scan, points } = await prepare()
    const event = scan()
    await report(event)
    await world.grant(fan, 100)
    const answers = await Promise.all(Array.from({ length: 10 }, () => take(event.id)))
    for (const { body } of answers) expect(body.taken).toEqual([{ ruleId, points: 10, uncollected: 0 }])
    expect((await points()).balance).toBe(100)
  })

  test('concurrent with its arrival leaves no points', async () => {
    const { scan, points } = await prepare()
    const scans = Array.from({ length: 10 }, scan)
    await Promise.all(scans.flatMap(event => [report(event), take(event.id)]))
    expect((await points()).balance).toBe(0)
  })

  test('is for server keys with the scope only', async () => {
    const other = world.withToken(await world.serverKey(['points:write']))
    const callers = [world.anonymous, await world.fan(), other]
    const answers = callers.map(caller => caller.post('/api/events/void', { id: 'any' }))
    expect((await Promise.all(answers)).map(({ status, body }) => [status, body.code])).toEqual([
      [401, 'unauthenticated'],
      [401, 'invalid_server_key'],
      [403, 'insufficient_scope'],
    ])
  })

  test.each([
    ['no id', {}],
    ['an empty note', { id: 'a', note: '' }],
    ['a note of 501 characters', { id: 'a', note: 'x'.repeat(501) }],
    ['an unknown member', { id: 'a', points: 3 }],
  ])('refuses %s', async (_, body) => {
    expect((await gate.post('/api/events/void', body)).status).toBe(422)
  })
})
