import { expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'

interface Listed {
  id: string
  [member: string]: unknown
}

onEachEngine('GET /api/rewards', world => {
  const at = (ms: number) => new Date(world.clock.ms + ms)
  const find = (rewards: Listed[], id: string) => rewards.find(reward => reward.id === id)

  test('shows a fan without a record the missing points', async () => {
    const fan = await world.fan()
    const id = await world.reward({ pointsRequired: 100 })
    const { status, body } = await fan.get('/api/rewards')
    expect([status, body.points]).toEqual([200, 0])
    expect(find(body.rewards, id)).toMatchObject({
      state: 'unclaimed',
      unlocked: false,
      claimable: false,
      missingPoints: 100,
      blockedBy: ['insufficient_points'],
    })
  })

  test('unlocks at exactly the points required', async () => {
    const fan = await world.fan()
    const id = await world.reward({ pointsRequired: 100 })
    await world.grant(fan, 99)
    expect(find((await fan.get('/api/rewards')).body.rewards, id)).toMatchObject({
      unlocked: false,
      missingPoints: 1,
    })
    await world.grant(fan, 1)
    expect(find((await fan.get('/api/rewards')).body.rewards, id)).toMatchObject({
      unlocked: true,
      claimable: true,
      missingPoints: 0,
      blockedBy: [],
    })
  })

  test('lists what is switched on and inside its window, and nothing else', async () => {
    const fan = await world.fan()
    const on = await world.reward({ startsAt: at(0), endsAt: at(1) })
    const off = await world.reward({ active: false })
    const early = await world.reward({ startsAt: at(1) })
    const late = await world.reward({ endsAt: at(0) })
    const ids = (await fan.get('/api/rewards')).body.rewards.map(({ id }: Listed) => id)
    expect(ids).toContain(on)
    for (const id of [off, early, late]) expect(ids).not.toContain(id)
  })

  test('shows rewards from their start to their end, also to a fan whose list is cached', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/onboarding', {})
    const opens = await world.reward({ startsAt: at(1) })
    const closes = await world.reward({ endsAt: at(2) })
    const listed = async (by = fan) => {
      const ids = (await by.get('/api/rewards')).body.rewards.map(({ id }: Listed) => id)
      return [opens, closes].filter(id => ids.includes(id))
    }
    const lists = []
    for (const ms of [0, 0, 1, 0, 1, 0]) {
      world.clock.advance(ms)
      lists.push(await listed())
    }
    const [before, between, after] = [[closes], [opens, closes], [opens]]
    expect(lists).toEqual([before, before, between, between, after, after])
    // Clocks are set back: a response says what is true at its time.
    world.clock.advance(-2)
    expect(await listed(await world.fan())).toEqual(before)
  })

  test('lists the cheapest first, and rewards of equal price by id', async () => {
    const fan = await world.fan()
    for (const id of ['order-b', 'order-B', 'order-a', 'order_a'])
      await world.reward({ id, pointsRequired: 7 })
    await world.reward({ id: 'order-cheap', pointsRequired: 6 })
    const ids = (await fan.get('/api/rewards')).body.rewards.map(({ id }: Listed) => id)
    const ours = ids.filter((id: string) => id.startsWith('order'))
    expect(ours).toEqual(['order-cheap', 'order-B', 'order-a', 'order-b', 'order_a'])
  })

  test('lists everything that blocks a claim, in the order of the checks', async () => {
    const fan = await world.fan()
    const id = await world.reward({ pointsRequired: 50, stockRemaining: 1 })
    await world.grant(fan, 50)
    await fan.post('/api/rewards/claim', { rewardId: id })
    await world.grant(fan, -50)
    expect(find((await fan.get('/api/rewards')).body.rewards, id)).toMatchObject({
      state: 'claimed',
      blockedBy: ['insufficient_points', 'already_claimed', 'out_of_stock'],
    })
  })

  test('shows the remaining stock, also to a fan whose list is cached', async () => {
    const [one, other] = [await world.fan(), await world.fan()]
    await one.post('/api/user/onboarding', {})
    const id = await world.reward({ pointsRequired: 0, stockRemaining: 5 })
    for (const left of [5, 4]) {
      expect(find((await one.get('/api/rewards')).body.rewards, id)).toMatchObject({ stockRemaining: left })
      if (left === 5) await other.post('/api/rewards/claim', { rewardId: id })
    }
  })

  test('shows a fan no data of other fans', async () => {
    const [one, other] = [await world.fan(), await world.fan()]
    const id = await world.reward({ pointsRequired: 0 })
    await one.post('/api/rewards/claim', { rewardId: id })
    await one.post('/api/rewards/redeem', { rewardId: id })
    expect(find((await other.get('/api/rewards')).body.rewards, id)).toMatchObject({
      state: 'unclaimed',
      redemptionCode: null,
    })
  })
})
