/** Grants of rules for events: conditions, points, limits, budgets, windows and versions. */
import { expect, test } from 'bun:test'
import { readVersion } from '../../../src/club/catalogue/versions.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { onEachEngine } from '../../support/world.ts'
import {
  addFan,
  addRule,
  apply,
  applyRules,
  entriesOf,
  newEvent,
  spentOf,
  unique,
  usesOf,
} from './rules-world.ts'

onEachEngine('Rules', world => {
  const outcomes = async (...events: ReturnType<typeof newEvent>[]) => {
    const found: (string | undefined)[] = []
    for (const event of events) found.push((await apply(world, event))?.map(({ outcome }) => outcome).join())
    return found
  }

  test('book their grants with a ref of rule, source and event', async () => {
    const { id, eventType } = await addRule(world)
    const userId = await addFan(world)
    const event = newEvent({ userId, type: eventType })
    expect(await apply(world, event)).toEqual([
      {
        ruleId: id,
        version: expect.any(Number),
        outcome: 'granted',
        points: 10,
        window: null,
        budgeted: false,
      },
    ])
    expect(await entriesOf(world, userId)).toMatchObject([
      { reason: 'rule', ref: `${id}:shop:${event.eventId}`, delta: 10, balanceAfter: 10 },
    ])
  })

  test('do nothing for an event of a type without listeners', async () => {
    await addRule(world)
    const userId = await addFan(world)
    expect(await apply(world, newEvent({ userId, type: 'test.unheard' }))).toBeNull()
    const { eventType } = await addRule(world, { active: false })
    expect(await apply(world, newEvent({ userId, type: eventType }))).toBeNull()
    expect(await entriesOf(world, userId)).toEqual([])
  })

  test('all grant points for the same event, in the order of their ids', async () => {
    const type = `test.${unique('many')}`
    const [b, a] = [unique('b'), unique('a')]
    await addRule(world, { id: b, eventType: type, points: { fixed: 1 } })
    await addRule(world, { id: a, eventType: type, points: { fixed: 2 } })
    const userId = await addFan(world)
    const decisions = await apply(world, newEvent({ userId, type }))
    expect(decisions?.map(({ ruleId, points }) => [ruleId, points])).toEqual([
      [a, 2],
      [b, 1],
    ])
    expect((await entriesOf(world, userId)).map(({ balanceAfter }) => balanceAfter)).toEqual([2, 3])
  })

  test('grant nothing where a condition is not met', async () => {
    const { eventType: type } = await addRule(world, {
      when: [
        { path: '/currency', op: 'eq', value: 'EUR' },
        { path: '/amount', op: 'gte', value: 1000 },
      ],
    })
    const userId = await addFan(world)
    const event = (data: unknown) => newEvent({ userId, type, data })
    expect(
      await outcomes(
        event({ currency: 'EUR', amount: 1000 }),
        event({ currency: 'EUR', amount: 999 }),
        event({ currency: 'GBP', amount: 1000 }),
        event(null),
      ),
    ).toEqual(['granted', '', '', ''])
  })

  test.each([
    { value: 0, points: undefined },
    { value: 99, points: undefined },
    { value: 100, points: 3 },
    { value: 199.99, points: 3 },
    { value: 12_345, points: 369 },
    { value: -500, points: undefined },
    { value: '500', points: undefined },
    { value: null, points: undefined },
    { value: undefined, points: undefined },
    { value: Number.POSITIVE_INFINITY, points: undefined },
    { value: Number.MAX_SAFE_INTEGER, points: 1_000_000_000 },
    { value: 1e300, points: 1_000_000_000 },
  ])('grant $points points for $value at three for each whole hundred', async ({ value, points }) => {
    const { eventType } = await addRule(world, { points: { per: '/amount', every: 100, points: 3 } })
    const userId = await addFan(world)
    const decisions = await apply(world, newEvent({ userId, type: eventType, data: { amount: value } }))
    expect(decisions?.map(decision => decision.points)).toEqual(points === undefined ? [] : [points])
  })

  test('count a limit per fan and day of the time zone of the rule, by the time of the event', async () => {
    const { id, eventType: type } = await addRule(world, {
      limit: { count: 2, per: 'day' },
      timeZone: 'America/New_York',
    })
    const [first, second] = [await addFan(world), await addFan(world)]
    const at = (userId: string, occurredAt: string) =>
      newEvent({ userId, type, occurredAt: new Date(occurredAt) })
    expect(
      await outcomes(
        at(first, '2026-03-08T04:59:59.999Z'),
        at(first, '2026-03-08T05:00:00.000Z'),
        at(first, '2026-03-09T03:59:59.999Z'),
        at(first, '2026-03-08T12:00:00.000Z'),
        at(first, '2026-03-09T04:00:00.000Z'),
        at(second, '2026-03-08T12:00:00.000Z'),
      ),
    ).toEqual(['granted', 'granted', 'granted', 'limit', 'granted', 'granted'])
    expect(await usesOf(world, id)).toEqual({
      [`${first} 2026-03-07`]: 1,
      [`${first} 2026-03-08`]: 2,
      [`${first} 2026-03-09`]: 1,
      [`${second} 2026-03-08`]: 1,
    })
  })

  test.each([
    { per: 'week', same: '2026-08-16T23:59:59.999Z', next: '2026-08-17T00:00:00.000Z' },
    { per: 'month', same: '2026-08-31T23:59:59.999Z', next: '2026-09-01T00:00:00.000Z' },
    { per: 'ever', same: '2031-01-01T00:00:00.000Z', next: null },
  ] as const)('count a limit per $per', async ({ per, same, next }) => {
    const { eventType: type } = await addRule(world, { limit: { count: 1, per } })
    const userId = await addFan(world)
    const times = ['2026-08-15T18:30:00.000Z', same, ...(next ? [next] : [])]
    const events = times.map(time => newEvent({ userId, type, occurredAt: new Date(time) }))
    expect(await outcomes(...events)).toEqual(['granted', 'limit', ...(next ? ['granted'] : [])])
  })

  test('never exceed their budget: a grant that does not fit completely is not made', async () => {
    const { id, eventType: type } = await addRule(world, {
      points: { per: '/amount', every: 1, points: 1 },
      budget: 100,
      limit: { count: 9, per: 'ever' },
    })
    const userId = await addFan(world)
    const worth = (amount: number) => newEvent({ userId, type, data: { amount } })
    expect(await outcomes(worth(101), worth(60), worth(50), worth(40), worth(1))).toEqual([
      'budget',
      'granted',
      'budget',
      'granted',
      'budget',
    ])
    expect(await spentOf(world, id)).toBe(100)
    // A grant that the budget refuses does not count towards the limit.
    expect(await usesOf(world, id)).toEqual({ [`${userId} ever`]: 2 })
    expect((await entriesOf(world, userId)).map(({ delta }) => delta)).toEqual([60, 40])
  })

  test('never exceed in one unit of work what earlier ones left of the budget', async () => {
    const { id, eventType: type } = await addRule(world, { budget: 35 })
    const userId = await addFan(world)
    expect(await outcomes(newEvent({ userId, type }))).toEqual(['granted'])
    let runs = 0
    const decided = await world.db.write(async tx => {
      runs++
      const version = await readVersion(tx)
      const found: (string | undefined)[] = []
      for (let n = 0; version && n < 3; n++)
        found.push((await applyRules(tx, newEvent({ userId, type }), version))?.[0]?.outcome)
      return found
    })
    expect(decided).toEqual(['granted', 'granted', 'budget'])
    expect([runs, await spentOf(world, id)]).toEqual([1, 30])
  })

  test('apply from their start until before their end, by the time of the event', async () => {
    const { eventType: type } = await addRule(world, {
      startsAt: '2026-08-01T00:00:00.000Z',
      endsAt: '2026-09-01T00:00:00.000Z',
    })
    const userId = await addFan(world)
    const at = (occurredAt: string) => newEvent({ userId, type, occurredAt: new Date(occurredAt) })
    expect(
      await outcomes(
        at('2026-07-31T23:59:59.999Z'),
        at('2026-08-01T00:00:00.000Z'),
        at('2026-08-31T23:59:59.999Z'),
        at('2026-09-01T00:00:00.000Z'),
      ),
    ).toEqual(['', 'granted', 'granted', ''])
  })

  test('that change evaluate later events only, at once', async () => {
    const entry = await addRule(world)
    const userId = await addFan(world)
    const [first] = (await apply(world, newEvent({ userId, type: entry.eventType }))) ?? []
    await world.db.write(tx => upsertRule(tx, { ...entry, points: { fixed: 7 } }))
    const [second] = (await apply(world, newEvent({ userId, type: entry.eventType }))) ?? []
    expect([first?.points, second?.points]).toEqual([10, 7])
    expect(Number(second?.version)).toBeGreaterThan(Number(first?.version))
    await world.db.write(tx => upsertRule(tx, { ...entry, active: false }))
    expect(await apply(world, newEvent({ userId, type: entry.eventType }))).toBeNull()
    expect((await entriesOf(world, userId)).map(({ delta }) => delta)).toEqual([10, 7])
  })
})
