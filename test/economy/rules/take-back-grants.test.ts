/** The grants of rules that the void of an event takes back. */
import { expect, test } from 'bun:test'
import { readBalance } from '../../../src/economy/points/account.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { onEachEngine } from '../../support/world.ts'
import {
  addFan,
  addRule,
  apply,
  entriesOf,
  newEvent,
  spentOf,
  takeBackGrants,
  unique,
  usesOf,
} from './rules-world.ts'

onEachEngine('Taking back the grants of an event', world => {
  async function earn(userId: string, type: string, data?: unknown) {
    const event = newEvent({ userId, type, data })
    return { event, decisions: (await apply(world, event)) ?? [] }
  }
  const takeBack = ({ event, decisions }: Awaited<ReturnType<typeof earn>>) =>
    world.db.write(tx => takeBackGrants(tx, event, decisions))
  const spend = (userId: string, points: number) =>
    world.db.write(tx =>
      appendEntry(tx, { userId, delta: -points, reason: 'pack_purchase', ref: unique('purchase') }),
    )

  test('takes the points, and returns the use and the budget', async () => {
    const { id, eventType } = await addRule(world, { limit: { count: 1, per: 'ever' }, budget: 10 })
    const userId = await addFan(world)
    const earned = await earn(userId, eventType)
    expect(await takeBack(earned)).toEqual([{ ruleId: id, points: 10, uncollected: 0 }])
    expect(await readBalance(world.db.read, userId)).toEqual({ balance: 0, lifetime: 0 })
    expect(await entriesOf(world, userId)).toMatchObject([
      { delta: 10, reason: 'rule', ref: `${id}:shop:${earned.event.eventId}` },
      { delta: -10, reason: 'rule_void', ref: `${id}:shop:${earned.event.eventId}` },
    ])
    expect(await usesOf(world, id)).toEqual({ [`${userId} ever`]: 0 })
    expect(await spentOf(world, id)).toBe(0)
    expect((await earn(userId, eventType)).decisions).toMatchObject([{ outcome: 'granted' }])
  })

  test('takes at most the balance, keeps the use, and returns the taken points to the budget', async () => {
    const { id, eventType } = await addRule(world, { limit: { count: 1, per: 'ever' }, budget: 10 })
    const userId = await addFan(world)
    const earned = await earn(userId, eventType)
    await spend(userId, 7)
    expect(await takeBack(earned)).toEqual([{ ruleId: id, points: 3, uncollected: 7 }])
    expect(await readBalance(world.db.read, userId)).toEqual({ balance: 0, lifetime: 7 })
    expect(await usesOf(world, id)).toEqual({ [`${userId} ever`]: 1 })
    expect(await spentOf(world, id)).toBe(7)
  })

  test('takes several grants in the order of their rules until the balance is zero', async () => {
    const type = `test.${unique('two')}`
    const a = await addRule(world, { id: unique('a'), eventType: type, points: { fixed: 6 } })
    const b = await addRule(world, { id: unique('b'), eventType: type, points: { fixed: 5 } })
    const c = await addRule(world, { id: unique('c'), eventType: type, points: { fixed: 4 } })
    const userId = await addFan(world)
    const earned = await earn(userId, type)
    await spend(userId, 8)
    expect(await takeBack(earned)).toEqual([
      { ruleId: a.id, points: 6, uncollected: 0 },
      { ruleId: b.id, points: 1, uncollected: 4 },
      { ruleId: c.id, points: 0, uncollected: 4 },
    ])
    expect((await entriesOf(world, userId)).map(({ delta }) => delta)).toEqual([6, 5, 4, -8, -6, -1])
  })

  test('takes nothing for grants that a limit or a budget refused', async () => {
    const { id, eventType } = await addRule(world, { limit: { count: 1, per: 'ever' } })
    const userId = await addFan(world)
    await earn(userId, eventType)
    expect(await takeBack(await earn(userId, eventType))).toEqual([])
    expect(await usesOf(world, id)).toEqual({ [`${userId} ever`]: 1 })
    expect(await readBalance(world.db.read, userId)).toEqual({ balance: 10, lifetime: 10 })
  })
})
