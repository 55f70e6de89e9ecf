import { expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('POST /api/rewards/claim', world => {
  const day = 86_400_000
  const at = (ms: number) => new Date(world.clock.ms + ms)

  test('claims for a fan with the points, and spends none', async () => {
    const fan = await world.fan()
    const rewardId = await world.reward({ pointsRequired: 100, stockRemaining: 5 })
    await world.grant(fan, 150)
    const { status, body } = await fan.post('/api/rewards/claim', { rewardId })
    expect(status).toBe(200)
    expect(body.reward).toMatchObject({
      id: rewardId,
      state: 'claimed',
      stockRemaining: 4,
      unlocked: true,
      claimable: false,
      blockedBy: ['already_claimed'],
      claimedAt: '2026-08-15T18:30:00.000Z',
      redemptionCode: null,
    })
    expect((await fan.get('/api/user/points')).body.balance).toBe(150)
  })

  test('refuses a reward that does not exist with 404 reward_not_found', async () => {
    const fan = await world.fan()
    const { status, body } = await fan.post('/api/rewards/claim', { rewardId: 'no-such-reward' })
    expect([status, body.code]).toEqual([404, 'reward_not_found'])
  })

  test('refuses a reward that is deactivated, before its start or after its end with 409 reward_inactive', async () => {
    const fan = await world.fan()
    await world.grant(fan, 1000)
    for (const fields of [{ active: false }, { startsAt: at(1) }, { endsAt: at(0) }]) {
      const rewardId = await world.reward(fields)
      const { status, body } = await fan.post('/api/rewards/claim', { rewardId })
      expect([status, body.code]).toEqual([409, 'reward_inactive'])
    }
  })

  test('accepts claims from startsAt inclusive to endsAt exclusive', async () => {
    const fan = await world.fan()
    await world.grant(fan, 1000)
    const begins = await world.reward({ startsAt: at(0), endsAt: at(day) })
    const ends = await world.reward({ startsAt: at(-day), endsAt: at(1) })
    expect((await fan.post('/api/rewards/claim', { rewardId: begins })).status).toBe(200)
    expect((await fan.post('/api/rewards/claim', { rewardId: ends })).status).toBe(200)
  })

  test('refuses a fan with too few points with 409 insufficient_points and the numbers', async () => {
    const fan = await world.fan()
    await world.grant(fan, 99)
    const { status, body } = await fan.post('/api/rewards/claim', { rewardId: await world.reward() })
    expect(status).toBe(409)
    expect(body).toMatchObject({
      code: 'insufficient_points',
      pointsRequired: 100,
      points: 99,
      missingPoints: 1,
    })
  })

  test('a refused claim of an unknown fan leaves no user record', async () => {
    const fan = await world.fan()
    await fan.post('/api/rewards/claim', { rewardId: await world.reward() })
    expect((await fan.get('/api/user/profile')).status).toBe(404)
  })

  test('refuses a second claim, and a claim of what is redeemed, with 409 already_claimed', async () => {
    const fan = await world.fan()
    await world.grant(fan, 100)
    const rewardId = await world.reward()
    await fan.post('/api/rewards/claim', { rewardId })
    expect((await fan.post('/api/rewards/claim', { rewardId })).body.code).toBe('already_claimed')
    await fan.post('/api/rewards/redeem', { rewardId })
    expect((await fan.post('/api/rewards/claim', { rewardId })).body.code).toBe('already_claimed')
  })

  test('refuses when the stock is gone with 409 out_of_stock, and records no claim', async () => {
    const fan = await world.fan()
    await world.grant(fan, 100)
    const rewardId = await world.reward({ stockRemaining: 0 })
    const { status, body } = await fan.post('/api/rewards/claim', { rewardId })
    expect([status, body.code]).toEqual([409, 'out_of_stock'])
    expect((await fan.post('/api/rewards/redeem', { rewardId })).body.code).toBe('not_claimed')
  })

  test('checks in the order of the contract: inactive, points, claimed, stock', async () => {
    const fan = await world.fan()
    const rewardId = await world.reward({ active: false, stockRemaining: 0 })
    expect((await fan.post('/api/rewards/claim', { rewardId })).body.code).toBe('reward_inactive')
    const poor = await world.reward({ stockRemaining: 0 })
    expect((await fan.post('/api/rewards/claim', { rewardId: poor })).body.code).toBe('insufficient_points')
    await world.grant(fan, 100)
    const last = await world.reward({ stockRemaining: 1 })
    expect((await fan.post('/api/rewards/claim', { rewardId: last })).body.reward.stockRemaining).toBe(0)
    expect((await fan.post('/api/rewards/claim', { rewardId: last })).body.code).toBe('already_claimed')
  })

  test('refuses bodies that break the schema with 422 and says where', async () => {
    const fan = await world.fan()
    for (const [body, pointer] of [
      [{}, '/rewardId'],
      [{ rewardId: 7 }, '/rewardId'],
      [{ rewardId: '' }, '/rewardId'],
      [{ rewardId: 'a', points: 5 }, '/points'],
    ] as const) {
      const answer = await fan.post('/api/rewards/claim', body)
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
      expect(answer.body.errors[0].pointer).toBe(pointer)
    }
  })

  test('of ten claims of one fan at once, one succeeds', async () => {
    const fan = await world.fan()
    await world.grant(fan, 100)
    const rewardId = await world.reward({ stockRemaining: 5 })
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => fan.post('/api/rewards/claim', { rewardId })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { rewards } = (await fan.get('/api/rewards')).body
    expect(rewards.find(({ id }: { id: string }) => id === rewardId).stockRemaining).toBe(4)
  })
})
