import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('POST /api/rewards/redeem', world => {
  async function claimed() {
    const fan = await world.fan()
    const rewardId = await world.reward({ pointsRequired: 0 })
    await fan.post('/api/rewards/claim', { rewardId })
    return { fan, rewardId }
  }

  test('redeems a claimed reward and creates a code', async () => {
    const { fan, rewardId } = await claimed()
    world.clock.advance(60_000)
    const { status, body } = await fan.post('/api/rewards/redeem', { rewardId })
    expect(status).toBe(200)
    expect(body.reward.state).toBe('redeemed')
    expect(body.reward.redeemedAt).toBe(new Date(world.clock.ms).toISOString())
    expect(body.reward.redemptionCode).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
  })

  test('refuses a reward that does not exist with 404 reward_not_found', async () => {
    const fan = await world.fan()
    const { status, body } = await fan.post('/api/rewards/redeem', { rewardId: 'no-such-reward' })
    expect([status, body.code]).toEqual([404, 'reward_not_found'])
  })

  test('refuses a reward that is not claimed with 409 not_claimed, for a fan with or without a record', async () => {
    const rewardId = await world.reward()
    const known = await world.fan()
    await known.post('/api/user/profile', {})
    for (const fan of [known, await world.fan()]) {
      const { status, body } = await fan.post('/api/rewards/redeem', { rewardId })
      expect([status, body.code]).toEqual([409, 'not_claimed'])
    }
  })

  test('refuses a second redemption with 409 already_redeemed and keeps the first code', async () => {
    const { fan, rewardId } = await claimed()
    const first = (await fan.post('/api/rewards/redeem', { rewardId })).body.reward.redemptionCode
    const { status, body } = await fan.post('/api/rewards/redeem', { rewardId })
    expect([status, body.code]).toEqual([409, 'already_redeemed'])
    const { rewards } = (await fan.get('/api/rewards')).body
    expect(rewards.find(({ id }: { id: string }) => id === rewardId).redemptionCode).toBe(first)
  })

  test('redeems also when the reward has become inactive since', async () => {
    const { fan, rewardId } = await claimed()
    const { rewards } = world.db.tables
    await world.db.write(tx => tx.update(rewards).set({ active: false }).where(eq(rewards.id, rewardId)))
    const { status, body } = await fan.post('/api/rewards/redeem', { rewardId })
    expect([status, body.reward.state, body.reward.active]).toEqual([200, 'redeemed', false])
  })

  test('one of ten redemptions at once creates the code', async () => {
    const { fan, rewardId } = await claimed()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => fan.post('/api/rewards/redeem', { rewardId })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'already_redeemed')).toHaveLength(9)
  })

  test('gives every redemption a code of its own', async () => {
    const codes = new Set<string>()
    for (let round = 0; round < 5; round++) {
      const { fan, rewardId } = await claimed()
      codes.add((await fan.post('/api/rewards/redeem', { rewardId })).body.reward.redemptionCode)
    }
    expect(codes.size).toBe(5)
  })
})
