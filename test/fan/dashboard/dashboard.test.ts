import { expect, test } from 'bun:test'
import { addPack, buy, FREE, open, patientFan, start } from '../../play/packs/packs-world.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('GET /api/dashboard', world => {
  test('is 401 without a token and with a bad one', async () => {
    const anonymous = await world.anonymous.get('/api/dashboard')
    expect([anonymous.status, anonymous.body.code]).toEqual([401, 'unauthenticated'])
    const bad = await world.withToken('not.a.token').get('/api/dashboard')
    expect([bad.status, bad.body.code]).toEqual([401, 'invalid_token'])
  })

  test('takes no parameters', async () => {
    const fan = await world.fan()
    expect((await fan.get('/api/dashboard?limit=1')).status).toBe(422)
  })

  test('of a new fan is empty and creates no record', async () => {
    const fan = await world.fan()
    await world.reward({ pointsRequired: 0 })
    await world.reward({ pointsRequired: 1 })
    expect((await fan.get('/api/dashboard')).body).toEqual({
      profile: { id: null, displayName: null, avatarUrl: null },
      points: 0,
      held: 0,
      unread: 0,
      rank: null,
      tier: [],
      rewards: { claimable: 1, claimed: 0, redeemed: 0 },
      packs: { sealed: 0, opened: 0 },
      quests: { active: 0, claimable: 0, streakAtRisk: null },
      recentPoints: [],
    })
    expect((await fan.get('/api/user/profile')).status).toBe(404)
  })

  test('returns in one response what the other operations return in several', async () => {
    const fan = await patientFan(world)
    await fan.post('/api/user/onboarding', { profile: { displayName: 'Ada' } })
    for (let delta = 1; delta <= 7; delta++) await world.grant(fan, delta * 100)
    const claimed = await world.reward({ pointsRequired: 10 })
    const redeemed = await world.reward({ pointsRequired: 10 })
    await world.reward({ pointsRequired: 10_000 })
    await world.reward({ pointsRequired: 10, active: false })
    await world.reward({ pointsRequired: 10, stockRemaining: 0 })
    for (const rewardId of [claimed, redeemed]) await fan.post('/api/rewards/claim', { rewardId })
    await fan.post('/api/rewards/redeem', { rewardId: redeemed })
    const packId = await addPack(world, { price: FREE })
    await buy(fan, packId)
    await buy(fan, packId)
    await open(fan, (await buy(fan, packId)).userPack.id)
    await buy(fan, await addPack(world))
    await start(fan, await addPack(world))

    const { body } = await fan.get('/api/dashboard')

    const profile = (await fan.get('/api/user/profile')).body
    const { balance, held, entries } = (await fan.get('/api/user/points?limit=5')).body
    const { rewards } = (await fan.get('/api/rewards')).body as {
      rewards: { state: string; claimable: boolean }[]
    }
    const { packs } = (await fan.get('/api/user/packs')).body as { packs: { state: string }[] }
    expect(body).toEqual({
      profile: { id: profile.id, displayName: 'Ada', avatarUrl: profile.avatarUrl },
      points: balance,
      held,
      unread: 0,
      tier: [],
      rank: (await fan.get('/api/leaderboard')).body.me.rank,
      rewards: {
        claimable: rewards.filter(({ claimable }) => claimable).length,
        claimed: rewards.filter(({ state }) => state === 'claimed').length,
        redeemed: rewards.filter(({ state }) => state === 'redeemed').length,
      },
      packs: {
        sealed: packs.filter(({ state }) => state === 'sealed').length,
        opened: packs.filter(({ state }) => state === 'opened').length,
      },
      quests: { active: 0, claimable: 0, streakAtRisk: null },
      recentPoints: entries,
    })
    expect(body).toMatchObject({
      rewards: { claimed: 1, redeemed: 1 },
      packs: { sealed: 3, opened: 1 },
      points: 2800,
      held: 100,
      rank: 1,
    })
    expect(body.recentPoints).toHaveLength(5)
  })

  test('counts claims and redemptions of rewards that have become inactive', async () => {
    const fan = await patientFan(world, 50)
    const ids = [await world.reward({ pointsRequired: 1 }), await world.reward({ pointsRequired: 1 })]
    for (const rewardId of ids) await fan.post('/api/rewards/claim', { rewardId })
    await world.db.write(tx => tx.update(tx.tables.rewards).set({ active: false }))
    world.clock.advance(1000)
    expect((await fan.get('/api/dashboard')).body.rewards).toEqual({ claimable: 0, claimed: 2, redeemed: 0 })
    await fan.post('/api/rewards/redeem', { rewardId: ids[0] })
    expect((await fan.get('/api/dashboard')).body.rewards).toEqual({ claimable: 0, claimed: 1, redeemed: 1 })
  })

  test('shows changes that only the clock causes', async () => {
    const fan = await patientFan(world, 50)
    await world.reward({ pointsRequired: 1, startsAt: new Date(world.clock.ms + 5000) })
    const before = (await fan.get('/api/dashboard')).body.rewards.claimable
    world.clock.advance(5000)
    expect((await fan.get('/api/dashboard')).body.rewards.claimable).toBe(before + 1)
  })

  test('contains only data of the caller', async () => {
    const [one, other] = [await patientFan(world, 11), await patientFan(world, 22)]
    const answers = await Promise.all([one, other, one, other].map(fan => fan.get('/api/dashboard')))
    expect(answers.map(({ body }) => body.points)).toEqual([11, 22, 11, 22])
  })
})
